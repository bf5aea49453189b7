import { JsonView } from "~/components/json-view";
import { PlainText } from "~/components/section";

/** What a tool answered, as it came. */
export function Response({ response }: { response: unknown }) {
  return typeof response === "string" ? (
    <PlainText text={response} label="response" />
  ) : (
    <JsonView value={response} name="response" depth={3} />
  );
}
