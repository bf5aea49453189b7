import {
  Alert,
  Button,
  Kbd,
  Loader,
  NumberInput,
  Stack,
  Text,
  TextInput,
  UnstyledButton,
} from "@mantine/core";
import { IconCheck, IconInfoCircle, IconPlayerPlay, IconX } from "@tabler/icons-react";
import type { FieldError, Problem } from "~/api/problem";
import { Panel } from "~/components/page";
import { MOST_REPEATS, type NewRun } from "~/pages/runs/new-run";
import classes from "~/pages/runs/new-run.module.css";

interface StartPanelProps {
  run: NewRun;
  onChange: (part: Partial<NewRun>) => void;
  /** By path inside a seed. */
  errors: FieldError[];
  /** What is still to be done before anything can be said; null when nothing. */
  todo: string | null;
  checking: boolean;
  accepted: boolean;
  failure: Problem | null;
  /** Why this person or this agent cannot start it; null when they can. */
  barred: string | null;
  starting: boolean;
  onStart: () => void;
  onShow: (error: FieldError) => void;
}

/** How often, with which seed, whether the server would take it, and the button. */
export function StartPanel(props: StartPanelProps) {
  const { run, onChange, errors, failure, barred, starting, onStart } = props;
  const many = run.repeat > 1;
  return (
    <Panel title="Start">
      <Stack gap="sm">
        <NumberInput
          label="Repeat"
          description={
            many ? "Runs of the same task, as one batch: they show how reliable it is." : undefined
          }
          size="xs"
          min={1}
          max={MOST_REPEATS}
          clampBehavior="strict"
          allowDecimal={false}
          value={run.repeat}
          onChange={(count) => onChange({ repeat: Number(count) || 1 })}
          inputWrapperOrder={["label", "input", "error", "description"]}
        />
        <div data-field="random_seed">
          <TextInput
            label="Random seed"
            size="xs"
            placeholder="drawn for each run"
            inputMode="numeric"
            value={run.randomSeed}
            onChange={({ currentTarget }) => onChange({ randomSeed: currentTarget.value })}
            error={errors.find(({ loc }) => loc[0] === "random_seed")?.msg}
            description={
              run.randomSeed &&
              `A 64-bit integer. The same seed gives the same draws${many ? " in every one of them" : ""}.`
            }
            inputWrapperOrder={["label", "input", "error", "description"]}
            styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
          />
        </div>
        <Answer {...props} />
        {failure && (
          <Alert color="red" p="xs" role="alert" title={failure.title}>
            <Text size="xs">{failure.detail}</Text>
          </Alert>
        )}
        {barred && (
          <Text size="xs" c="var(--band-amber)">
            {barred}
          </Text>
        )}
        <Button
          size="sm"
          fullWidth
          leftSection={<IconPlayerPlay size={15} />}
          loading={starting}
          disabled={barred !== null}
          onClick={onStart}
        >
          {many ? `Start ${run.repeat} runs` : "Start run"}
        </Button>
        <Text size="xs" c="var(--ody-text-dim)" ta="center">
          <Kbd size="xs">Ctrl</Kbd> <Kbd size="xs">Enter</Kbd> starts it
        </Text>
      </Stack>
    </Panel>
  );
}

function Answer({ errors, todo, checking, accepted, failure, onShow }: StartPanelProps) {
  return (
    <div role="status">
      {errors.length > 0 ? (
        <>
          <div className={classes.said}>
            <IconX size={15} color="var(--band-red)" aria-hidden />
            {errors.length === 1 ? "1 thing to mend" : `${errors.length} things to mend`}
          </div>
          <ul className={classes.problems}>
            {errors.map((error) => (
              <li key={`${error.loc.join(".")} ${error.msg}`}>
                <UnstyledButton className={classes.problem} onClick={() => onShow(error)}>
                  <span className={classes.place}>{error.loc.join(".")}</span> {error.msg}
                </UnstyledButton>
              </li>
            ))}
          </ul>
        </>
      ) : todo ? (
        <div className={classes.said}>
          <IconInfoCircle size={15} color="var(--ody-text-dim)" aria-hidden />
          {todo}
        </div>
      ) : accepted ? (
        <div className={classes.said}>
          <IconCheck size={15} color="var(--band-green)" aria-hidden />
          The server accepts this.
        </div>
      ) : (
        checking &&
        !failure && (
          <div className={classes.said}>
            <Loader size={13} mt={3} aria-hidden />
            Checking…
          </div>
        )
      )}
    </div>
  );
}
