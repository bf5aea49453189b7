import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Session } from "~/api/queries";
import { Panel } from "~/components/page";
import { Moment } from "~/components/time";
import classes from "~/pages/account/account.module.css";
import { OrganisationName } from "~/pages/account/organisation-name";
import { OwnPassword } from "~/pages/account/own-password";
import { peopleQuery } from "~/pages/account/queries";

export function You({ session }: { session: Session }) {
  const { person, org } = session;
  const isAdmin = person.role === "admin";
  const people = useQuery({ ...peopleQuery, enabled: isAdmin });
  const hasPassword = people.data?.find(({ id }) => id === person.id)?.has_password;
  return (
    <div className={classes.columns}>
      <Panel title="You">
        <dl className={classes.facts}>
          <Fact name="E-mail">{person.email}</Fact>
          <Fact name="Role">{person.role}</Fact>
          {!isAdmin && <Fact name="Organisation">{org.name}</Fact>}
          <Fact name="Signed in">
            {session.expires_at === null ? (
              "by an API key"
            ) : (
              <>
                until <Moment at={session.expires_at} />
              </>
            )}
          </Fact>
        </dl>
      </Panel>
      <Panel title={hasPassword === true ? "Change your password" : "Password"}>
        <OwnPassword email={person.email} hasPassword={hasPassword} />
      </Panel>
      {isAdmin && (
        <Panel title="Organisation">
          <OrganisationName current={org.name} />
        </Panel>
      )}
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
