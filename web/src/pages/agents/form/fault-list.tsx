import type { FieldError } from "~/api/problem";
import classes from "~/pages/agents/form/form.module.css";

/** Faults as text, each with its place below the thing it belongs to. */
export function FaultList({ faults }: { faults: FieldError[] }) {
  if (faults.length === 0) return null;
  return (
    <ul className={classes.faults} data-fault>
      {faults.map((fault) => {
        const place = fault.loc.join(".");
        const repeated = fault.msg.startsWith(`${place}: `);
        return (
          <li key={`${place} ${fault.msg}`}>
            {place !== "" && <span className={classes.place}>{place}: </span>}
            {repeated ? fault.msg.slice(place.length + 2) : fault.msg}
          </li>
        );
      })}
    </ul>
  );
}
