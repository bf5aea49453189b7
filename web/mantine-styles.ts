import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Plugin } from "vite";

const NAMES_FROM_MANTINE = /import\s*\{([^}]*)\}\s*from\s*"@mantine\/core"/g;
const NAMES_FROM_FILE = /import\s*\{([^}]*)\}\s*from\s*"(\.[^"]+)"/g;
const FILE = /from\s*"(\.[^"]+)"/g;
const CLASSES_OF = /([A-Za-z]+)\.module\.mjs$/;

/**
 * Builds `@mantine/core/styles.css` from the components that are used, in the order the whole has them: two thirds of
 * it would be fetched on every first visit for nothing. Development serves the whole.
 */
export function usedMantineStyles(root: string): Plugin {
  const mantine = join(root, "node_modules/@mantine");
  const core = join(mantine, "core");
  return {
    name: "used-mantine-styles",
    apply: "build",
    enforce: "pre",
    load(id) {
      if (id !== join(core, "styles.css")) return null;
      const users = [join(root, "src"), join(mantine, "spotlight/esm"), join(mantine, "notifications/esm")];
      return stylesOf(core, usedFiles(core, users.flatMap(namesUsedIn)));
    },
  };
}

function namesUsedIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf-8" });
  return files
    .filter((file) => /\.(tsx?|mjs)$/.test(file))
    .flatMap((file) => [...readFileSync(join(folder, file), "utf-8").matchAll(NAMES_FROM_MANTINE)])
    .flatMap(([, names = ""]) => names.split(","))
    .map((name) => name.trim().split(/\s+as\s+/)[0] ?? "");
}

/** The files behind these names, and all that those import. */
function usedFiles(core: string, names: string[]): Set<string> {
  const index = join(core, "esm/index.mjs");
  const wanted = new Set(names);
  const waiting = [...readFileSync(index, "utf-8").matchAll(NAMES_FROM_FILE)]
    .filter(([, exported = ""]) => exported.split(",").some((name) => wanted.has(name.trim())))
    .map(([, , file = ""]) => resolve(dirname(index), file));
  const files = new Set<string>();
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    for (const [, imported = ""] of readFileSync(file, "utf-8").matchAll(FILE)) {
      waiting.push(resolve(dirname(file), imported));
    }
  }
  return files;
}

function stylesOf(core: string, files: Set<string>): string {
  const components = [...files].flatMap((file) => CLASSES_OF.exec(file)?.[1] ?? []);
  const whole = readFileSync(join(core, "styles.css"), "utf-8");
  return ["baseline", "default-css-variables", "global", ...components]
    .map((name) => readFileSync(join(core, "styles", `${name}.css`), "utf-8").trim())
    .map((styles) => ({ styles, place: placeIn(whole, styles) }))
    .sort((a, b) => a.place - b.place)
    .map(({ styles }) => styles)
    .join("\n");
}

function placeIn(whole: string, styles: string): number {
  const place = whole.indexOf(styles);
  if (place < 0) throw new Error(`Mantine's styles.css no longer holds its parts: ${styles.slice(0, 80)}`);
  return place;
}
