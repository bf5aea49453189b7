import { ActionIcon, Burger } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { useEffect } from "react";
import { Navigation } from "~/shell/navigation";
import { openPalette, Palette, preparePalette } from "~/shell/palette";
import { useLeaveWithoutSession } from "~/shell/session-end";
import classes from "~/shell/shell.module.css";
import { ShortcutHelp, useShortcuts } from "~/shell/shortcuts";
import { Wordmark } from "~/shell/wordmark";

/** What surrounds every page once somebody is signed in. */
export function Shell() {
  const [menu, { toggle, close }] = useDisclosure(false);
  const path = useRouterState({ select: (state) => state.location.pathname });

  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when the page changes
  useEffect(close, [path]);
  useCloseOnEscape(menu, close);
  useLeaveWithoutSession();
  useShortcuts();

  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#main">
        Skip to the page
      </a>
      <header className={classes.top}>
        <Burger
          opened={menu}
          onClick={toggle}
          size={18}
          aria-label="Menu"
          aria-expanded={menu}
          aria-controls="navigation"
        />
        <Link to="/" className={classes.homeLink} aria-label="Odyssey, home">
          <Wordmark />
        </Link>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label="Search"
          onClick={openPalette}
          onFocus={preparePalette}
        >
          <IconSearch size={18} />
        </ActionIcon>
      </header>
      <nav id="navigation" className={classes.side} data-open={menu || undefined} aria-label="Main">
        <Navigation />
      </nav>
      {menu && <div className={classes.veil} onClick={close} aria-hidden />}
      <main id="main" tabIndex={-1} className={classes.main} inert={menu}>
        <Outlet />
      </main>
      <Palette />
      <ShortcutHelp />
    </div>
  );
}

function useCloseOnEscape(open: boolean, close: () => void): void {
  useEffect(() => {
    if (!open) return;
    const listen = (event: KeyboardEvent) => event.key === "Escape" && close();
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, [open, close]);
}
