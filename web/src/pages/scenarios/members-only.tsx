import type { ReactNode } from "react";
import { useMayChange } from "~/components/may-change";
import { Page, TextLink } from "~/components/page";
import { Empty } from "~/components/states";

/** A page for those who may change scenarios; others are told why not. */
export function MembersOnly({ title, children }: { title: string; children: ReactNode }) {
  if (useMayChange()) return children;
  return (
    <Page
      title={title}
      trail={[
        <TextLink key="scenarios" to="/scenarios">
          Scenarios
        </TextLink>,
      ]}
      curl={[]}
    >
      <Empty title="Viewers may read scenarios but not change them">
        Ask an admin of your organisation to change your role.
      </Empty>
    </Page>
  );
}
