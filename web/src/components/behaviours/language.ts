/** How a line looks: acts, texts, numbers and comments apart. What it means is for the server to say. */
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";

const ACTS =
  /^(?:only when|fails when|changes nothing else|sets flag|clears flag|let|when|sets|appends|adds|removes|returns|else|with)\b/;
const TEXT = /^(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)/;
const NUMBER = /^-?\d+(?:\.\d+)?\b/;
const WORD = /^[A-Za-z_][\w.]*/;
const CONSTANTS = new Set(["true", "false", "null"]);

const language = StreamLanguage.define({
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.string.trimStart().startsWith("#")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match(ACTS)) return "keyword";
    if (stream.match(TEXT)) return "string";
    if (stream.match(NUMBER)) return "number";
    const word = stream.match(WORD);
    if (Array.isArray(word)) return CONSTANTS.has(word[0]) ? "bool" : null;
    stream.next();
    return null;
  },
});

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--json-key)", fontWeight: "600" },
  { tag: tags.string, color: "var(--json-string)" },
  { tag: tags.number, color: "var(--json-number)" },
  { tag: tags.bool, color: "var(--json-word)" },
  { tag: tags.comment, color: "var(--ody-text-dim)" },
]);

export const behaviourLanguage = [language, syntaxHighlighting(colours)];
