import { Text } from "@mantine/core";
import { type Leaf, readExpected } from "~/pages/scenarios/detail/expected";
import classes from "~/pages/scenarios/scenarios.module.css";

const BEYOND: Record<string, string> = {
  $calls: "Of its calls",
  $ledger: "Of the world in the end",
  $text: "Of the final response as text",
};

export function ExpectedInWords({ expected }: { expected: Record<string, unknown> }) {
  const { answer, beyond } = readExpected(expected);
  return (
    <>
      {answer.length > 0 && <Leaves title="Of the JSON object in the answer" leaves={answer} />}
      {beyond.map(([key, checks]) => (
        <Leaves key={key} title={BEYOND[key] ?? key} leaves={checks} />
      ))}
    </>
  );
}

function Leaves({ title, leaves }: { title: string; leaves: Leaf[] }) {
  return (
    <div>
      <Text size="xs" fw={600} c="var(--ody-text-dim)">
        {title}
      </Text>
      <table className={classes.leaves} aria-label={title}>
        <tbody>
          {leaves.map(({ where, what }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two checks may be the same
            <tr key={index}>
              <th scope="row" className={classes.mono}>
                {where}
              </th>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
