import { DOSES, type Variation } from "~/api/variations";
import { LongText } from "~/components/json-view";
import classes from "~/pages/variations/variations.module.css";

/** Every text of a variation: its doses side by side, and the placebo of each. */
export function Doses({ variation }: { variation: Variation }) {
  return (
    <div className={classes.doses}>
      {DOSES.map((dose) => (
        <section key={dose} aria-label={`${variation.name}, ${dose}`}>
          <h3>{dose}</h3>
          <ol>
            {variation.doses[dose].map((text, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two wordings may be the same
              <li key={index}>
                <LongText text={text} />
              </li>
            ))}
          </ol>
          <h4>Placebo of the first</h4>
          <p className={classes.placebo}>
            <LongText text={variation.placebos[dose]} />
          </p>
        </section>
      ))}
    </div>
  );
}
