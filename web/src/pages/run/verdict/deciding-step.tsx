import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { TextLink } from "~/components/page";

const route = getRouteApi("/app/runs/$runId");

/** The parts of a run below its verdict. */
export const PARTS_ID = "parts";

/** To the step of the timeline that decided something, brought into view: the card above it may be long. */
export function DecidingStep({ step, children }: { step: number; children: ReactNode }) {
  const { runId } = route.useParams();
  return (
    <TextLink
      to="/runs/$runId"
      params={{ runId }}
      search={{ step }}
      resetScroll={false}
      inherit
      underline="always"
      onClick={() => document.getElementById(PARTS_ID)?.scrollIntoView({ block: "start" })}
    >
      {children}
    </TextLink>
  );
}
