import { type Tone, ToneBadge } from "~/components/badges";
import { Fold } from "~/components/fold";
import { JsonView } from "~/components/json-view";
import classes from "~/components/ledger/ledger.module.css";
import { type Change, short } from "~/components/ledger/operations";

export const CHANGE_MARKS: Record<Change["kind"], [Tone, string]> = {
  added: ["green", "+ added"],
  changed: ["live", "~ changed"],
  removed: ["red", "− removed"],
};

/** One entity that was added, changed or removed: its members before and after. */
export function ChangedEntity({ change }: { change: Change }) {
  const [tone, label] = CHANGE_MARKS[change.kind];
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
