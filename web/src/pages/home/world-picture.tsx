import { SourceBadge } from "~/components/badges";
import classes from "~/pages/home/first-steps.module.css";

/** Agent, proxy, world: who talks to whom. */
export function WorldPicture() {
  return (
    <div className={classes.picture} role="img" aria-label={DESCRIPTION}>
      <div className={classes.box}>
        <strong>Your agent</strong>
        <span>anywhere, over HTTP</span>
      </div>
      <Arrows there="calls a tool" back="gets an answer" />
      <div className={classes.box} data-ours>
        <strong>Odyssey proxy</strong>
        <span>records every call</span>
      </div>
      <Arrows there="asks" back="answers" />
      <div className={classes.answers}>
        <div className={classes.box} data-ours>
          <strong>Simulated world</strong>
          <SourceBadge source="odyssey" />
        </div>
        <div className={classes.box} data-ours>
          <strong>Failure rules</strong>
          <SourceBadge source="injected" />
        </div>
      </div>
    </div>
  );
}

const DESCRIPTION =
  "Your agent calls a tool at the Odyssey proxy, which records the call and answers it from the simulated world " +
  "or by a failure rule.";

function Arrows({ there, back }: { there: string; back: string }) {
  return (
    <div className={classes.arrows}>
      <span>{there}</span>
      <svg viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
        <path d="M2 7H98M92 2l6 5-6 5" />
        <path d="M98 17H2M8 12l-6 5 6 5" />
      </svg>
      <span>{back}</span>
    </div>
  );
}
