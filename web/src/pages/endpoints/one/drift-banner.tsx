import { Code, Text } from "@mantine/core";
import { IconGitCompare } from "@tabler/icons-react";
import type { Drift } from "~/api/endpoints";
import { type Tone, ToneBadge } from "~/components/badges";
import { Banner } from "~/components/banner";
import { Ago } from "~/components/time";
import classes from "~/pages/endpoints/endpoints.module.css";
import { driftInWords } from "~/pages/endpoints/marks";

/** How the tools differ from the list before. */
export function DriftBanner({ drift }: { drift: Drift }) {
  const rows: [mark: string, tone: Tone, name: string, paths: string[]][] = [
    ...drift.removed.map((name): (typeof rows)[number] => ["gone", "red", name, []]),
    ...drift.changed.map(({ name, paths }): (typeof rows)[number] => ["changed", "amber", name, paths]),
    ...drift.added.map((name): (typeof rows)[number] => ["new", "green", name, []]),
  ];
  return (
    <Banner tone="amber" icon={<IconGitCompare size={16} aria-hidden />} label="What changed at the endpoint">
      <Text size="sm" fw={600}>
        Its tools changed: {driftInWords(drift)}.{" "}
        <Text span inherit fw={400} c="var(--ody-text-dim)">
          Found <Ago at={drift.at} />
        </Text>
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <ul className={classes.drift} aria-label="Changed tools" tabIndex={0}>
        {rows.map(([mark, tone, name, paths]) => (
          <li key={`${mark} ${name}`}>
            <ToneBadge tone={tone}>{mark}</ToneBadge>
            <span>
              <span className={classes.mono}>{name}</span>
              {paths.length > 0 && (
                <span className={classes.paths}>
                  {paths.map((path) => (
                    <span key={path}>
                      <Code>{path}</Code>{" "}
                    </span>
                  ))}
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Banner>
  );
}
