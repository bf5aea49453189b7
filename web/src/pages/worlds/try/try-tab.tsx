import { Stack, Text, UnstyledButton } from "@mantine/core";
import { IconFlask } from "@tabler/icons-react";
import { writeJson } from "~/api/json";
import type { World } from "~/api/worlds";
import { SourceBadge } from "~/components/badges";
import { counted } from "~/components/counted";
import { Panel } from "~/components/page";
import { Empty, ErrorState, RowsLoading } from "~/components/states";
import { AgentChoice, CallForm, NoTools } from "~/pages/worlds/try/call-form";
import classes from "~/pages/worlds/try/try.module.css";
import { TryResult } from "~/pages/worlds/try/try-result";
import { useChoice } from "~/pages/worlds/try/use-choice";
import { type Tries, type Try, useTries } from "~/pages/worlds/try/use-tries";

interface TryTabProps {
  world: World;
  /** Changes to entities that are not in the saved world. */
  unsaved: number;
}

/** One call of one tool on a scratch copy of the world. */
export function TryTab({ world, unsaved }: TryTabProps) {
  const choice = useChoice();
  const tries = useTries(world.id);

  function again({ call }: Try) {
    tries.forgetError();
    tries.show(call.number);
    choice.begin(call.tool, call.arguments);
    choice.go({ agent: call.agentId, tool: call.tool, args: writeJson(call.arguments, 0) });
  }

  if (choice.agents === null) {
    return choice.error ? <ErrorState error={choice.error} retry={choice.retry} /> : <RowsLoading />;
  }
  if (!choice.tool) return <NoTools />;
  return (
    <div className={classes.split}>
      <div className={classes.call}>
        <Panel title="Call">
          <Stack gap="sm">
            <AgentChoice choice={choice} />
            <CallForm choice={choice} tries={tries} />
            <Text size="xs" c="var(--ody-text-dim)">
              Nothing is saved: every call begins from the world as it is stored.
              {unsaved > 0 &&
                ` Your ${counted(unsaved, "unsaved change")} to entities ${unsaved === 1 ? "is" : "are"} not in it.`}
            </Text>
          </Stack>
        </Panel>
      </div>
      <div className={classes.answer}>
        <Panel title="Answer">
          {tries.shown ? (
            <TryResult key={tries.shown.call.number} one={tries.shown} world={world} />
          ) : (
            <Empty icon={<IconFlask size={28} stroke={1.5} />} title="Nothing tried yet">
              Run a call to see what the world answers, how the engine read it, how sure it is, and what it
              would change.
            </Empty>
          )}
        </Panel>
      </div>
      {tries.tries.length > 0 && (
        <div className={classes.tries}>
          <History tries={tries} onShow={again} />
        </div>
      )}
    </div>
  );
}

interface HistoryProps {
  tries: Tries;
  onShow: (one: Try) => void;
}

function History({ tries: { tries, shown }, onShow }: HistoryProps) {
  return (
    <Panel title={`Tried here (${tries.length})`} flush>
      <ol className={classes.history} aria-label="Tries" reversed>
        {tries.map((one) => (
          <li key={one.call.number}>
            <UnstyledButton
              className={classes.tried}
              aria-current={one === shown}
              onClick={() => onShow(one)}
            >
              <span className={classes.triedName}>{one.call.tool}</span>
              <SourceBadge source={one.answer.source} />
              <span className={classes.triedArguments}>{writeJson(one.call.arguments, 0)}</span>
            </UnstyledButton>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
