import { ActionIcon, Kbd, Tooltip, UnstyledButton } from "@mantine/core";
import { IconHelp, IconLogout, IconMoon, IconPlus, IconSearch, IconSun } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { sessionQuery } from "~/api/queries";
import { ButtonLink } from "~/components/page";
import { useDarkColors } from "~/shell/colors";
import { OpenReviews } from "~/shell/open-reviews";
import { openPalette, preparePalette } from "~/shell/palette";
import { PALETTE_KEYS, PLACES } from "~/shell/places";
import classes from "~/shell/shell.module.css";
import { openShortcutHelp } from "~/shell/shortcuts";
import { signOut } from "~/shell/sign-out";
import { Wordmark } from "~/shell/wordmark";

export function Navigation() {
  const { data: session } = useQuery(sessionQuery);
  return (
    <>
      <div className={classes.brand}>
        <Link to="/" className={classes.homeLink} aria-label="Odyssey, home">
          <Wordmark />
        </Link>
      </div>
      <UnstyledButton
        className={classes.search}
        onClick={openPalette}
        onMouseEnter={preparePalette}
        onFocus={preparePalette}
        aria-keyshortcuts="Control+K"
      >
        <IconSearch size={14} aria-hidden />
        <span>Search</span>
        <Kbd size="xs" aria-hidden>
          {PALETTE_KEYS.join(" ")}
        </Kbd>
      </UnstyledButton>
      <ul className={classes.places}>
        {PLACES.map(({ to, label, icon: Icon }) => (
          <li key={to}>
            <Link
              to={to}
              className={classes.place}
              activeOptions={{ exact: to === "/", includeSearch: false }}
            >
              <Icon size={16} aria-hidden />
              {label}
              {to === "/review" && <OpenReviews />}
            </Link>
          </li>
        ))}
      </ul>
      {session && session.person.role !== "viewer" && (
        <ButtonLink to="/runs/new" variant="default" leftSection={<IconPlus size={14} aria-hidden />}>
          New run
        </ButtonLink>
      )}
      <Person />
    </>
  );
}

function Person() {
  const { data: session } = useQuery(sessionQuery);
  const [dark, setDark] = useDarkColors();
  if (!session) return null;
  return (
    <div className={classes.person}>
      <div className={classes.who}>
        <span className={classes.org} title={session.org.name}>
          {session.org.name}
        </span>
        <span className={classes.email} title={session.person.email}>
          {session.person.email}
        </span>
        <span className={classes.role}>{session.person.role}</span>
      </div>
      <div className={classes.tools}>
        <Tool
          label={dark ? "Use light colours" : "Use dark colours"}
          icon={dark ? IconSun : IconMoon}
          onClick={() => setDark(!dark)}
        />
        <Tool label="Keyboard shortcuts" icon={IconHelp} onClick={openShortcutHelp} />
        <Tool label="Sign out" icon={IconLogout} onClick={() => void signOut()} />
      </div>
    </div>
  );
}

function Tool({ label, icon: Icon, onClick }: { label: string; icon: typeof IconHelp; onClick: () => void }) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={onClick}>
        <Icon size={16} />
      </ActionIcon>
    </Tooltip>
  );
}
