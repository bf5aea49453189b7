import { IconLock } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Page, TextLink } from "~/components/page";
import { Empty } from "~/components/states";
import { useIsAdmin } from "~/pages/agents/admins-only";

/** A page that only admins can use; the others are told whom to ask. */
export function EndpointAdmins({ title, children }: { title: string; children: ReactNode }) {
  if (useIsAdmin()) return children;
  return (
    <Page title={title} curl={[]}>
      <Empty
        icon={<IconLock size={28} />}
        title="Only admins may change endpoints"
        action={<TextLink to="/endpoints">See the endpoints</TextLink>}
      >
        Ask an admin of your organisation to do it, or to change your role.
      </Empty>
    </Page>
  );
}
