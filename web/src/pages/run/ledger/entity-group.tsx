import { UnstyledButton } from "@mantine/core";
import { useState } from "react";
import { type Tone, ToneBadge } from "~/components/badges";
import { JsonView } from "~/components/json-view";
import { Section } from "~/pages/run/detail/section";
import { Fold } from "~/pages/run/fold";
import classes from "~/pages/run/ledger/ledger.module.css";
import type { EntityGroup } from "~/pages/run/model/ledger";
import { type Change, short } from "~/pages/run/model/operations";

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

const KINDS: Record<Change["kind"], [Tone, string]> = {
  added: ["green", "+ added"],
  changed: ["live", "~ changed"],
  removed: ["red", "− removed"],
};

/** One entity that was added, changed or removed: its members before and after. */
export function ChangedEntity({ change }: { change: Change }) {
  const [tone, label] = KINDS[change.kind];
  const after = change.after ?? {};
  const before = change.before ?? {};
  const rest = Object.keys(change.kind === "removed" ? before : after).length - change.fields.length;
  return (
    <article className={classes.entity} data-kind={change.kind} aria-label={`${change.id} ${change.kind}`}>
      <div className={classes.entityHead}>
        <span className={classes.id}>{change.id}</span>
        <ToneBadge tone={tone}>{label}</ToneBadge>
      </div>
      <dl className={classes.fields}>
        {change.fields.map((field) => (
          <FieldChange key={field} field={field} before={before} after={after} />
        ))}
      </dl>
      {change.kind === "changed" && rest > 0 && (
        <Fold label={`${rest} unchanged ${rest === 1 ? "member" : "members"}`}>
          <JsonView value={after} name={change.id} depth={1} />
        </Fold>
      )}
    </article>
  );
}

type Fields = Record<string, unknown>;

function FieldChange({ field, before, after }: { field: string; before: Fields; after: Fields }) {
  return (
    <>
      <dt>{field}</dt>
      <dd>
        {field in before && <del>{short(before[field])}</del>}
        {field in before && field in after && <span aria-hidden> → </span>}
        {field in after && <ins>{short(after[field])}</ins>}
      </dd>
    </>
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
