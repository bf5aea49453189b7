import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { TextLink } from "~/components/page";

const route = getRouteApi("/app/runs/$runId");

/** To a step of this run's timeline, without a filter that might hide it. */
export function StepLink({ step, children }: { step: number; children: ReactNode }) {
  const { runId } = route.useParams();
  return (
    <TextLink to="/runs/$runId" params={{ runId }} search={{ step }} inherit underline="always">
      {children}
    </TextLink>
  );
}
