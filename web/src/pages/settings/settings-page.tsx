import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useRef } from "react";
import { sessionQuery } from "~/api/queries";
import { type Settings, settingsQuery } from "~/api/settings";
import type { CurlRequest } from "~/components/curl";
import { LeaveGuard } from "~/components/leave-guard";
import { money } from "~/components/money";
import { Page, Panel } from "~/components/page";
import { Pairs } from "~/components/section";
import { ErrorState, PageLoading } from "~/components/states";
import { Ago } from "~/components/time";
import { BudgetsForm } from "~/pages/settings/budgets-form";
import { Credentials } from "~/pages/settings/credentials/credentials";
import { ModelForm } from "~/pages/settings/model-form";
import { ROLES, type Role } from "~/pages/settings/roles";
import classes from "~/pages/settings/settings.module.css";
import { SpentToday } from "~/pages/settings/spent-today";
import { ThresholdFacts, ThresholdsForm } from "~/pages/settings/thresholds-form";

const LOOK_AGAIN_MS = 15_000;
const REQUESTS: CurlRequest[] = [
  { what: "These settings", path: "/api/settings" },
  {
    what: "Set the judge model",
    method: "PUT",
    path: "/api/settings",
    body: { models: { judge: { provider: "openai", model: "…", api_key: "…" } } },
  },
  {
    what: "Set the simulator model",
    method: "PUT",
    path: "/api/settings",
    body: { models: { simulator: { provider: "openai", model: "…", api_key: "…" } } },
  },
  {
    what: "Limit what models may cost in a day",
    method: "PUT",
    path: "/api/settings",
    body: { budgets: { usd_per_day: 5, calls_per_day: 1000 } },
  },
  {
    what: "Flag critical scenarios earlier",
    method: "PUT",
    path: "/api/settings",
    body: { evals: { thresholds: { critical: 0.4 } } },
  },
];
/** Only an admin may ask for these. */
const OF_ADMINS: CurlRequest[] = [
  { what: "List the credentials", path: "/api/credentials?limit=200" },
  {
    what: "Add a credential",
    method: "POST",
    path: "/api/credentials",
    body: { name: "ORDERS_API_KEY", value: "…", origin: "https://api.example.com" },
  },
];

export function SettingsPage() {
  const { data: session } = useQuery(sessionQuery);
  const settings = useQuery({ ...settingsQuery, refetchInterval: LOOK_AGAIN_MS });
  const unsaved = useRef({ judge: false, simulator: false, budgets: false, thresholds: false });
  const judgeUnsaved = useCallback((is: boolean) => {
    unsaved.current.judge = is;
  }, []);
  const simulatorUnsaved = useCallback((is: boolean) => {
    unsaved.current.simulator = is;
  }, []);
  const budgetsUnsaved = useCallback((is: boolean) => {
    unsaved.current.budgets = is;
  }, []);
  const thresholdsUnsaved = useCallback((is: boolean) => {
    unsaved.current.thresholds = is;
  }, []);
  if (settings.error && !settings.data) {
    return (
      <Page title="Settings" curl={REQUESTS}>
        <ErrorState error={settings.error} retry={() => void settings.refetch()} />
      </Page>
    );
  }
  if (!settings.data || !session) return <PageLoading />;
  const isAdmin = session.person.role === "admin";
  return (
    <Page title="Settings" curl={isAdmin ? [...REQUESTS, ...OF_ADMINS] : REQUESTS}>
      <LeaveGuard unsaved={() => Object.values(unsaved.current).some(Boolean)} />
      {!isAdmin && (
        <Text size="sm" c="var(--ody-text-dim)">
          Only an admin can change these settings.
        </Text>
      )}
      <div className={classes.columns}>
        <Stack gap="md">
          {isAdmin ? (
            <>
              <ModelForm use="judge" saved={settings.data.models.judge} onUnsaved={judgeUnsaved} />
              <ModelForm
                use="simulator"
                saved={settings.data.models.simulator}
                onUnsaved={simulatorUnsaved}
              />
            </>
          ) : (
            <>
              <ModelFacts use="judge" settings={settings.data} />
              <ModelFacts use="simulator" settings={settings.data} />
            </>
          )}
          {isAdmin ? (
            <ThresholdsForm saved={settings.data.evals.thresholds} onUnsaved={thresholdsUnsaved} />
          ) : (
            <ThresholdFacts thresholds={settings.data.evals.thresholds} />
          )}
          {isAdmin && <Credentials />}
        </Stack>
        <Stack gap="md">
          <SpentToday settings={settings.data} />
          {isAdmin ? (
            <BudgetsForm saved={settings.data.budgets} onUnsaved={budgetsUnsaved} />
          ) : (
            <BudgetFacts budgets={settings.data.budgets} />
          )}
          {settings.data.updated_at !== null && (
            <Text size="xs" c="var(--ody-text-dim)">
              Last changed <Ago at={settings.data.updated_at} />
            </Text>
          )}
        </Stack>
      </div>
    </Page>
  );
}

function ModelFacts({ use: role, settings: { models } }: { use: Role; settings: Settings }) {
  const model = models[role];
  return (
    <Panel title={ROLES[role].title}>
      {model === null ? (
        <Text size="sm">{ROLES[role].without}</Text>
      ) : (
        <Pairs
          pairs={[
            ["Provider", model.provider],
            ["Model", model.model],
            ["Base URL", model.base_url],
            ["API key", model.api_key_hint ?? "none"],
            ["Time-out", `${model.timeout_s} s`],
            ["Longest answer", `${model.max_output_tokens.toLocaleString("en")} tokens`],
            ["Price of input", `${money(model.input_usd_per_mtok)} per million tokens`],
            ["Price of output", `${money(model.output_usd_per_mtok)} per million tokens`],
          ]}
        />
      )}
    </Panel>
  );
}

function BudgetFacts({ budgets }: { budgets: Settings["budgets"] }) {
  return (
    <Panel title="Budgets of a day">
      <Pairs
        pairs={[
          ["Money", budgets.usd_per_day === null ? "no limit" : money(budgets.usd_per_day)],
          ["Model calls", budgets.calls_per_day.toLocaleString("en")],
        ]}
      />
    </Panel>
  );
}
