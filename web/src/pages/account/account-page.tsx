import { Button, Tabs } from "@mantine/core";
import { IconLogout } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type Session, sessionQuery } from "~/api/queries";
import { ToneBadge } from "~/components/badges";
import type { CurlRequest } from "~/components/curl";
import { Page } from "~/components/page";
import { PageLoading } from "~/components/states";
import { AuditLog } from "~/pages/account/audit-log";
import { Keys } from "~/pages/account/keys";
import { People } from "~/pages/account/people";
import { You } from "~/pages/account/you";
import { signOut } from "~/shell/sign-out";

const route = getRouteApi("/app/account");

const ROLE_HELP: Record<Session["person"]["role"], string> = {
  viewer: "A viewer sees everything and changes nothing.",
  member: "A member also starts and cancels runs.",
  admin: "An admin also changes agents, people and keys, and reads the audit log.",
};

const REQUESTS: Record<"you" | "keys" | "people" | "audit", CurlRequest[]> = {
  you: [
    { what: "Who am I", path: "/api/auth/session" },
    { what: "Set a password", method: "POST", path: "/api/auth/password", body: { password: "…" } },
  ],
  keys: [
    { what: "List keys", path: "/api/keys" },
    { what: "Make a key", method: "POST", path: "/api/keys", body: { name: "ci" } },
  ],
  people: [
    { what: "List people", path: "/api/people" },
    {
      what: "Add a person",
      method: "POST",
      path: "/api/people",
      body: { email: "ada@example.com", role: "member" },
    },
    { what: "Rename the organisation", method: "PUT", path: "/api/org", body: { name: "…" } },
  ],
  audit: [{ what: "Read the audit log", path: "/api/audit-log" }],
};

export function AccountPage() {
  const { data: session } = useQuery(sessionQuery);
  const search = route.useSearch();
  const navigate = useNavigate();
  if (!session) return <PageLoading />;

  const isAdmin = session.person.role === "admin";
  const tab = isAdmin ? (search.tab ?? "you") : "you";
  return (
    <Page
      title="Account"
      curl={REQUESTS[tab]}
      marks={
        <ToneBadge tone="neutral" help={ROLE_HELP[session.person.role]}>
          {session.person.role}
        </ToneBadge>
      }
      actions={
        <Button
          variant="default"
          leftSection={<IconLogout size={15} aria-hidden />}
          onClick={() => void signOut()}
        >
          Sign out
        </Button>
      }
    >
      {isAdmin ? (
        <Tabs
          value={tab}
          onChange={(value) =>
            void navigate({ to: "/account", search: value === "you" ? {} : { tab: value as "keys" } })
          }
          keepMounted={false}
        >
          <Tabs.List mb="md">
            <Tabs.Tab value="you">You</Tabs.Tab>
            <Tabs.Tab value="keys">API keys</Tabs.Tab>
            <Tabs.Tab value="people">People</Tabs.Tab>
            <Tabs.Tab value="audit">Audit log</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="you">
            <You session={session} />
          </Tabs.Panel>
          <Tabs.Panel value="keys">
            <Keys me={session.person.id} />
          </Tabs.Panel>
          <Tabs.Panel value="people">
            <People me={session.person.id} />
          </Tabs.Panel>
          <Tabs.Panel value="audit">
            <AuditLog cursor={search.cursor} />
          </Tabs.Panel>
        </Tabs>
      ) : (
        <You session={session} />
      )}
    </Page>
  );
}
