import { IconLock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { sessionQuery } from "~/api/queries";
import { Page, TextLink } from "~/components/page";
import { Empty } from "~/components/states";

export function useIsAdmin(): boolean {
  return useQuery(sessionQuery).data?.person.role === "admin";
}

export const ADMINS_ONLY = "Only admins may change agents";

/** A page that only admins can use; the others are told whom to ask. */
export function AdminsOnly({ title, children }: { title: string; children: ReactNode }) {
  if (useIsAdmin()) return children;
  return (
    <Page title={title} curl={[]}>
      <Empty
        icon={<IconLock size={28} />}
        title={ADMINS_ONLY}
        action={<TextLink to="/agents">See the agents</TextLink>}
      >
        Ask an admin of your organisation to do it, or to change your role.
      </Empty>
    </Page>
  );
}
