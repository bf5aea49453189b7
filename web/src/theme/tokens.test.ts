/** One palette: a colour for each source and each band, told apart and readable in light and in dark. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { BANDS, SOURCES } from "~/theme/palette";

const READABLE = 4.5; // the least contrast of text, by WCAG 2 AA
const TOKENS = readFileSync(new URL("tokens.css", import.meta.url), "utf-8");
const LIGHT = colours(":root");
const DARK = colours(':root[data-mantine-color-scheme="dark"]');
const SOURCE_NAMES = SOURCES.map((name) => `--source-${name}`);
const BAND_NAMES = BANDS.map((name) => `--band-${name}`);

function colours(selector: string): Map<string, string> {
  const [, block = ""] = TOKENS.split(`\n${selector} {`);
  const [declarations = ""] = block.split("}");
  return new Map(
    [...declarations.matchAll(/(--[\w-]+): (#[0-9a-f]{6});/g)].map(([, a = "", b = ""]) => [a, b]),
  );
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe.each([
  ["light", LIGHT],
  ["dark", DARK],
])("in %s", (_scheme, scheme) => {
  test.each([
    ["sources", SOURCE_NAMES],
    ["bands", BAND_NAMES],
  ])("%s are told apart", (_what, names) => {
    expect(new Set(names.map((name) => scheme.get(name) ?? "none")).size).toBe(names.length);
  });

  test.each([...SOURCE_NAMES, ...BAND_NAMES])("%s can be read where it stands", (name) => {
    for (const behind of [`${name}-soft`, "--ody-surface"]) {
      expect(contrast(scheme.get(name) ?? "#", scheme.get(behind) ?? "#")).toBeGreaterThanOrEqual(READABLE);
    }
  });
});

test.each([...SOURCE_NAMES, ...BAND_NAMES])("%s is another colour in dark", (name) => {
  expect(DARK.get(name)).not.toBe(LIGHT.get(name));
});
