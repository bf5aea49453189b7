import { TextLink } from "~/components/page";
import classes from "~/pages/matrices/matrices.module.css";

interface RunLinksProps {
  /** Of the list. */
  name: string;
  /** In front of it. */
  words: string;
  ids: number[];
}

export function RunLinks({ name, words, ids }: RunLinksProps) {
  return (
    <div className={classes.runsOf}>
      <span className={classes.dim}>{words}</span>
      <ul className={classes.runList} aria-label={name}>
        {ids.map((id) => (
          <li key={id}>
            <TextLink to="/evals/runs/$runId" params={{ runId: id }} className={classes.number ?? ""}>
              {id}
            </TextLink>
          </li>
        ))}
      </ul>
    </div>
  );
}
