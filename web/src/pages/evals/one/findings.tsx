import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { EvalRun, Finding } from "~/api/evals";
import { scenarioVersionQuery } from "~/api/scenarios";
import { ToneBadge } from "~/components/badges";
import { isMembers } from "~/components/comparison/diff/json";
import { type Column, DataTable } from "~/components/data-table";
import { short } from "~/components/ledger/operations";
import classes from "~/pages/evals/evals.module.css";

const NOT_THERE = Symbol("not there");

/** What became of each thing that is expected. */
export function Findings({ run }: { run: EvalRun }) {
  const { data: scenario } = useQuery(scenarioVersionQuery(run.scenario_id, run.scenario_version));
  if (run.findings.length === 0) {
    return (
      <Text size="sm" p="md">
        {run.observed_at === null
          ? "It is looked at when the run has ended."
          : run.behaviour === null
            ? "The run says nothing of the agent, so it neither matches nor misses."
            : "The scenario says nothing of what is expected."}
      </Text>
    );
  }
  const columns: Column<Finding>[] = [
    {
      id: "passed",
      title: "",
      width: 28,
      render: ({ passed }) => (
        <ToneBadge tone={passed ? "green" : "red"}>
          <span role="img" aria-label={passed ? "as expected" : "not as expected"}>
            {passed ? "✓" : "✕"}
          </span>
        </ToneBadge>
      ),
    },
    {
      id: "where",
      title: "Where",
      render: ({ where }) => <code className={`${classes.code} ${classes.place}`}>{where}</code>,
    },
    {
      id: "expected",
      title: "Expected",
      render: ({ where }) => <Value value={at(scenario?.expected_behavior, where)} />,
    },
    {
      id: "found",
      title: "Found",
      render: (finding) => {
        const found = at(run.behaviour?.structured, finding.where);
        if (isReserved(finding.where) || run.behaviour?.structured == null) return finding.reason;
        return found === NOT_THERE ? <span className={classes.dim}>not there</span> : <Value value={found} />;
      },
    },
  ];
  return <DataTable label="Findings" columns={columns} rows={run.findings} rowKey={({ where }) => where} />;
}

function Value({ value }: { value: unknown }) {
  if (value === NOT_THERE) return null;
  return <code className={classes.code}>{short(value)}</code>;
}

/** `$calls`, `$ledger`, `$text`, and `$` of a run that failed. */
function isReserved(where: string): boolean {
  return !where.startsWith("$.");
}

/** What stands at a path such as `$.order.status`; names may hold dots themselves. */
function at(value: unknown, where: string): unknown {
  if (!isMembers(value)) return NOT_THERE;
  if (isReserved(where)) return Object.hasOwn(value, where) ? value[where] : NOT_THERE;
  return below(value, where.slice(2));
}

function below(value: unknown, path: string): unknown {
  if (!isMembers(value)) return NOT_THERE;
  if (Object.hasOwn(value, path)) return value[path];
  for (const [name, member] of Object.entries(value)) {
    if (!path.startsWith(`${name}.`)) continue;
    const found = below(member, path.slice(name.length + 1));
    if (found !== NOT_THERE) return found;
  }
  return NOT_THERE;
}
