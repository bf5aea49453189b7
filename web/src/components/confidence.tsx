import { type Tone, toneColor } from "~/components/badges";
import classes from "~/components/confidence.module.css";

/** What an answer rests on, as `validation.evidence` says it. */
const EVIDENCE: Record<string, string> = {
  examples: "by recorded examples",
  behaviour: "by rules that were written for it",
  world: "by the entities of the world",
  schema: "by what the tool declares of itself",
  model: "by a model",
};

/** From which share on. Beyond one wrong answer in five a model is asked by default; below a half it is a guess. */
function levelOf(confidence: number): [tone: Tone, words: string] {
  if (confidence >= 0.8) return ["green", "sure"];
  return confidence >= 0.5 ? ["amber", "likely"] : ["red", "a guess"];
}

interface ConfidenceProps {
  of: number;
  /** Answers from before it was told have a confidence that is no frequency. */
  evidence?: unknown;
}

/** How often answers like this one are right, as far as the engine knows. */
export function Confidence({ of: confidence, evidence }: ConfidenceProps) {
  const [tone, words] = levelOf(confidence);
  return (
    <div className={classes.confidence}>
      <meter
        className={classes.meter}
        min={0}
        max={1}
        value={confidence}
        aria-label="Confidence"
        style={{ "--level": toneColor(tone), "--share": `${confidence * 100}%` } as React.CSSProperties}
      >
        {confidence}
      </meter>
      <span className={classes.number}>{confidence.toFixed(2)}</span>{" "}
      <span>{typeof evidence === "string" ? inWords(words, confidence, evidence) : words}</span>
    </div>
  );
}

function inWords(words: string, confidence: number, evidence: string): string {
  const rests = EVIDENCE[evidence] ?? evidence;
  // Nobody has measured how often the model of an organisation is right.
  if (evidence === "model") return `${words}, ${rests}`;
  return `${words}, ${rests}: of 100 such answers about ${Math.round(confidence * 100)} are exactly right`;
}
