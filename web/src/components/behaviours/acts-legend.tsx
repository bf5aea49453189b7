import { Button } from "@mantine/core";
import { ACTS, type Known, partsOf } from "~/components/behaviours/acts";
import classes from "~/components/behaviours/behaviours.module.css";

interface ActsLegendProps {
  known: Known;
  onInsert: (line: string) => void;
}

/** Every kind of line, with an example to take. */
export function ActsLegend({ known, onInsert }: ActsLegendProps) {
  const parts = partsOf(known);
  return (
    <ul className={classes.acts} aria-label="What a line can say">
      {ACTS.map(({ words, about, example }) => {
        const line = example(parts);
        return (
          <li key={words}>
            <div>
              <code className={classes.example}>{line}</code>
              <div className={classes.about}>{about}</div>
            </div>
            <Button
              variant="default"
              size="compact-xs"
              aria-label={`Insert a line with ${words}`}
              onClick={() => onInsert(line)}
            >
              Insert
            </Button>
          </li>
        );
      })}
    </ul>
  );
}
