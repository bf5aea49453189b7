import { IconLock } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useIsAdmin } from "~/components/may-change";
import { Page, TextLink } from "~/components/page";
import { Empty } from "~/components/states";

interface AdminsOnlyProps {
  title: string;
  /** What only admins may change. */
  what: "agents" | "endpoints";
  children: ReactNode;
}

/** A page that only admins can use; the others are told whom to ask. */
export function AdminsOnly({ title, what, children }: AdminsOnlyProps) {
  if (useIsAdmin()) return children;
  return (
    <Page title={title} curl={[]}>
      <Empty
        icon={<IconLock size={28} />}
        title={adminsOnly(what)}
        action={<TextLink to={`/${what}`}>See the {what}</TextLink>}
      >
        Ask an admin of your organisation to do it, or to change your role.
      </Empty>
    </Page>
  );
}

export const adminsOnly = (what: AdminsOnlyProps["what"]) => `Only admins may change ${what}`;
