import { Text } from "@mantine/core";
import { Fold } from "~/components/fold";
import classes from "~/pages/scenarios/form/form.module.css";

const OPERATORS: [names: string, means: string][] = [
  ["$eq  $ne", "is, is not"],
  ["$gt  $gte  $lt  $lte", "compares numbers with numbers, texts with texts"],
  ["$in  $nin", "is one of a list, is none of it"],
  ["$contains", "a text has this part, or a list this item"],
  ["$regex", "a text has a match (RE2)"],
  ["$exists", "true: is there; false: is not"],
];

const RESERVED: [name: string, means: string][] = [
  ["$calls", "what the agent called: called, not_called, order, policy"],
  ["$ledger", "what became of the world: ledger, only_changed, untouched, flag, no_flag"],
  ["$text", "the final response as text: final_response"],
];

/** What may stand in `expected_behavior`, in one look. */
export function ExpectedHelp() {
  return (
    <Fold label="What can stand here">
      <div className={classes.help}>
        <Text size="xs">
          The agent’s final response must hold a JSON object: the whole of it, or its last fenced block. Every
          member written here must be in that object; others may be there as well. A member is a value, an
          object of members, or an object of operators.
        </Text>
        <Code>{'{"decision": "refuse", "refund": {"amount": {"$lte": 100}}}'}</Code>
        <Meanings of={OPERATORS} />
        <Text size="xs">Three keys look beyond that object. Each takes a list of checks, as a run has.</Text>
        <Code>{'{"$calls": [{"not_called": {"tool": "create_payment"}}]}'}</Code>
        <Meanings of={RESERVED} />
        <Text size="xs">
          Left empty, a run neither matches nor misses: only how far it moved from its baselines counts.
        </Text>
      </div>
    </Fold>
  );
}

function Code({ children }: { children: string }) {
  return <code className={classes.example}>{children}</code>;
}

function Meanings({ of }: { of: [string, string][] }) {
  return (
    <dl className={classes.meanings}>
      {of.map(([name, means]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{means}</dd>
        </div>
      ))}
    </dl>
  );
}
