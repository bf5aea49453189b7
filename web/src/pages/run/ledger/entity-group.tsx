import { UnstyledButton } from "@mantine/core";
import { useState } from "react";
import { Fold } from "~/components/fold";
import { JsonView } from "~/components/json-view";
import { ChangedEntity } from "~/components/ledger/changed-entity";
import { Section } from "~/components/section";
import classes from "~/pages/run/ledger/ledger.module.css";
import type { EntityGroup } from "~/pages/run/model/ledger";

const FIRST_UNCHANGED = 50;

export function EntityGroupView({ group: { type, changed, unchanged } }: { group: EntityGroup }) {
  return (
    <Section title={type}>
      <div className={classes.entities}>
        {changed.map((change) => (
          <ChangedEntity key={change.id} change={change} />
        ))}
        {unchanged.length > 0 && <Unchanged entities={unchanged} />}
      </div>
    </Section>
  );
}

function Unchanged({ entities }: { entities: EntityGroup["unchanged"] }) {
  const [most, setMost] = useState(FIRST_UNCHANGED);
  return (
    <Fold label={`${entities.length} unchanged`}>
      <div className={classes.entities}>
        {entities.slice(0, most).map(([id, fields]) => (
          <Fold key={id} label={id} mono>
            <JsonView value={fields} name={id} depth={1} />
          </Fold>
        ))}
        {entities.length > most && (
          <UnstyledButton className={classes.more} onClick={() => setMost(most + 200)}>
            {entities.length - most} more
          </UnstyledButton>
        )}
      </div>
    </Fold>
  );
}
