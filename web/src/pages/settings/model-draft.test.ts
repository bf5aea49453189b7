import { expect, test } from "vitest";
import { draftOf, isSame, modelChange, PROVIDERS, withProvider } from "~/pages/settings/model-draft";

const EMPTY = draftOf(null);

test("another provider has another address; one of one's own choosing stays", () => {
  const own = { ...EMPTY, baseUrl: "http://127.0.0.1:9/v1" };
  expect(withProvider({ ...EMPTY, baseUrl: PROVIDERS.openai.baseUrl }, "anthropic").baseUrl).toBe("");
  expect(withProvider(own, "anthropic").baseUrl).toBe(own.baseUrl);
});

test.each([
  [undefined, false],
  ["", false],
  ["sk-1", true],
  [null, true],
])("the key %j is sent: %s", (apiKey, isSent) => {
  const { models } = modelChange("judge", { ...EMPTY, apiKey });
  expect("api_key" in (models?.judge ?? {})).toBe(isSent);
});

test("a blank address is the provider's own, and a blank number is left for the server to refuse", () => {
  const { models } = modelChange("simulator", {
    ...EMPTY,
    provider: "anthropic",
    model: " m ",
    timeoutS: "",
  });
  expect(models?.simulator).toMatchObject({
    base_url: PROVIDERS.anthropic.baseUrl,
    model: "m",
    timeout_s: "",
  });
});

test("a draft that says what is saved is no change", () => {
  expect(isSame(EMPTY, draftOf(null))).toBe(true);
  expect(isSame(EMPTY, { ...EMPTY, apiKey: null })).toBe(false);
});
