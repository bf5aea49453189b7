import { Stack, Text } from "@mantine/core";
import { IconRobot, IconSettings, IconTool, IconUser } from "@tabler/icons-react";
import { Fold } from "~/components/fold";
import { JsonView, LongText } from "~/components/json-view";
import { ActorMark } from "~/pages/run/actor-mark";
import { isRecord, textOf } from "~/pages/run/model/events";
import { type Message, partsOf } from "~/pages/run/model/transcript";
import { ClaimView } from "~/pages/run/transcript/claim-view";
import { Content } from "~/pages/run/transcript/content";
import classes from "~/pages/run/transcript/transcript.module.css";
import type { RunView } from "~/pages/run/view";

const ICONS: Record<string, typeof IconUser> = {
  system: IconSettings,
  user: IconUser,
  assistant: IconRobot,
  tool: IconTool,
};
const LONG = 400;

export function MessageView({ view, message }: { view: RunView; message: Message }) {
  const Icon = ICONS[message.role] ?? IconUser;
  const folded = message.role === "system" && lengthOf(message.content) > LONG;
  const says = message.content !== null;
  return (
    <article className={classes.message} data-role={message.role} aria-label={`${message.role} message`}>
      <header className={classes.head}>
        <Icon size={14} aria-hidden />
        <span className={classes.role}>{message.role}</span>
        {message.actor && <ActorMark actor={message.actor} declared={view.declared} />}
      </header>
      <Stack gap={8}>
        {message.thinking.length > 0 && <Thinking blocks={message.thinking} />}
        {says && folded && (
          <Fold
            label={`${lengthOf(message.content).toLocaleString("en")} characters: ${startOf(message.content)}`}
          >
            <Content content={message.content} />
          </Fold>
        )}
        {says && !folded && <Content content={message.content} />}
        {!says && message.claims.length === 0 && (
          <Text size="sm" c="var(--ody-text-dim)">
            No content.
          </Text>
        )}
        {message.claims.map((claim, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: ids of foreign calls may repeat
          <ClaimView key={index} claim={claim} />
        ))}
        {Object.keys(message.rest).length > 0 && (
          <Fold label={`Further members: ${Object.keys(message.rest).join(", ")}`}>
            <JsonView value={message.rest} name="further members" depth={2} />
          </Fold>
        )}
      </Stack>
    </article>
  );
}

function Thinking({ blocks }: { blocks: unknown[] }) {
  return (
    <Fold label={`Reasoning, ${blocks.length} ${blocks.length === 1 ? "block" : "blocks"}`}>
      <Stack gap={6}>
        {blocks.map((block, index) => {
          const words = isRecord(block) ? (textOf(block.text) ?? textOf(block.thinking)) : textOf(block);
          return words ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no identity beside their place
            <p key={index} className={classes.thought}>
              <LongText text={words} />
            </p>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no identity beside their place
            <JsonView key={index} value={block} name="reasoning block" depth={1} />
          );
        })}
      </Stack>
    </Fold>
  );
}

function lengthOf(content: unknown): number {
  return partsOf(content).reduce((sum, part) => sum + ("text" in part ? part.text.length : 0), 0);
}

function startOf(content: unknown): string {
  const [first] = partsOf(content);
  return first && "text" in first ? `${first.text.slice(0, 80)}…` : "";
}
