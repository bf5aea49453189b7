import { Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconTool } from "@tabler/icons-react";
import { ToneBadge } from "~/components/badges";
import { JsonView } from "~/components/json-view";
import type { Claim, Proof } from "~/pages/run/model/transcript";
import { Content } from "~/pages/run/transcript/content";
import { StepLink } from "~/pages/run/transcript/step-link";
import classes from "~/pages/run/transcript/transcript.module.css";

/** A tool call the agent speaks of, with its result and whether the proxy saw it. */
export function ClaimView({ claim }: { claim: Claim }) {
  return (
    <section className={classes.claim} aria-label={`Claimed call of ${claim.name}`}>
      <div className={classes.claimHead}>
        <IconTool size={13} aria-hidden />
        <span className={classes.tool}>{claim.name}</span>
        <ProofMark proof={claim.proof} />
      </div>
      <div className={classes.exchange}>
        <div>
          <h3>Arguments</h3>
          <JsonView value={claim.arguments} name={`arguments of ${claim.name}`} depth={2} />
        </div>
        <div>
          <h3>Result</h3>
          {claim.result && claim.result.content !== null ? (
            <Content content={claim.result.content} />
          ) : (
            <Text size="xs" c="var(--ody-text-dim)">
              {claim.result ? "A result without content." : "No message answers this call."}
            </Text>
          )}
        </div>
      </div>
    </section>
  );
}

function ProofMark({ proof }: { proof: Proof }) {
  if (proof.kind === "unseen") {
    return (
      <ToneBadge tone="red" help="No call to the proxy matches: it is not evidence, and it is not graded.">
        <IconAlertTriangle size={12} aria-hidden /> claimed, not seen by the proxy
      </ToneBadge>
    );
  }
  if (proof.kind === "differs") {
    return (
      <span className={classes.proof}>
        <ToneBadge
          tone="amber"
          help="The proxy saw this tool called, but with other arguments than the message states."
        >
          <IconAlertTriangle size={12} aria-hidden /> other arguments
        </ToneBadge>
        <StepLink step={proof.step}>seen by the proxy as step {proof.step}</StepLink>
      </span>
    );
  }
  return (
    <span className={classes.proof}>
      <IconCircleCheck size={13} aria-hidden className={classes.seen} />
      <StepLink step={proof.step}>seen by the proxy as step {proof.step}</StepLink>
      {proof.refused !== null && <ToneBadge tone="error">refused {proof.refused}</ToneBadge>}
    </span>
  );
}
