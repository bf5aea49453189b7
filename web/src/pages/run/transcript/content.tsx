import { JsonView, LongText } from "~/components/json-view";
import { decoded, partsOf } from "~/pages/run/model/transcript";
import classes from "~/pages/run/transcript/transcript.module.css";

/** Text as text, everything else as the JSON it is. */
export function Content({ content }: { content: unknown }) {
  return (
    <>
      {partsOf(content).map((part, index) =>
        "text" in part ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity beside their place
          <Words key={index} text={part.text} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity beside their place
          <JsonView key={index} value={part.other} name="content part" depth={2} />
        ),
      )}
    </>
  );
}

function Words({ text }: { text: string }) {
  const document = /^\s*[[{]/.test(text) ? decoded(text) : text;
  if (typeof document === "object" && document !== null)
    return <JsonView value={document} name="content" depth={2} />;
  return (
    <p className={classes.words}>
      <LongText text={text} />
    </p>
  );
}
