import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Rate } from "~/api/evals";
import type { MatrixCell } from "~/api/matrices";
import { counted } from "~/components/counted";
import { figure, intervalOf, probability } from "~/components/evals/figures";
import { variationName } from "~/components/evals/names";
import { percent } from "~/components/share";
import classes from "~/pages/matrices/heat-map/heat-map.module.css";
import { type Around, cameBack, judgedOn, lookOf, saidOf } from "~/pages/matrices/heat-map/looks";
import type { Row } from "~/pages/matrices/heat-map/rows";

interface CellTipProps {
  id: string;
  around: Around;
  row: Row;
  cell: MatrixCell;
  element: HTMLElement;
}

const GAP = 8;
const EDGE = 8;

/** All that a cell rests on, beside it: on hover, and on keyboard focus. */
export function CellTip({ id, row, cell, element, around }: CellTipProps) {
  const tip = useRef<HTMLDivElement>(null);
  const [, setScrolled] = useState(0);

  useEffect(() => {
    const again = () => setScrolled((times) => times + 1);
    window.addEventListener("scroll", again, { capture: true, passive: true });
    window.addEventListener("resize", again);
    return () => {
      window.removeEventListener("scroll", again, { capture: true });
      window.removeEventListener("resize", again);
    };
  }, []);

  useLayoutEffect(() => {
    if (tip.current) placeBeside(tip.current, element.getBoundingClientRect());
  });

  return (
    <div ref={tip} id={id} role="tooltip" className={classes.tip} data-look={lookOf(cell, row.failing)}>
      <p className={classes.tipTitle}>
        {variationName(cell.variation_type)} <span>on</span> {row.scenario.name}
        {row.ruleSet !== null && (
          <>
            {" "}
            <span>while</span> {row.ruleSet}
          </>
        )}
      </p>
      <p className={classes.tipSaid}>{saidOf(cell, around)}</p>
      <Incidents cell={cell} />
      <dl>
        {factsOf(cell).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

const MOST_TOLD = 3;

function Incidents({ cell }: { cell: MatrixCell }) {
  const { incidents } = cell;
  if (incidents.length === 0) return null;
  const more = incidents.length - MOST_TOLD;
  return (
    <ul className={classes.tipIncidents} aria-label="Incidents">
      {incidents.slice(0, MOST_TOLD).map((incident) => (
        <li key={incident.kind}>
          {incident.sentence}; {cameBack(incident, cell)}
        </li>
      ))}
      {more > 0 && <li>{counted(more, "more incident")}</li>}
    </ul>
  );
}

/** Below the cell, or above it where there is more room; never outside of the window. */
function placeBeside(tip: HTMLElement, cell: DOMRect) {
  const { offsetWidth: width, offsetHeight: height } = tip;
  const below = cell.bottom + GAP + height <= window.innerHeight || cell.top < height + GAP;
  const left = cell.left + cell.width / 2 - width / 2;
  const furthest = document.documentElement.clientWidth - width - EDGE;
  tip.style.top = `${below ? cell.bottom + GAP : cell.top - GAP - height}px`;
  tip.style.left = `${Math.max(EDGE, Math.min(left, furthest))}px`;
}

export function factsOf(cell: MatrixCell): [string, string][] {
  const facts: [string, string | null][] = [
    [
      "Shift",
      cell.shift === null ? null : `${figure(cell.shift)} ${cell.interval ? intervalOf(cell.interval) : ""}`,
    ],
    [
      "Noise floor",
      cell.noise_floor === null
        ? null
        : figure(cell.noise_floor) + (cell.raw_shift === null ? "" : `, raw shift ${figure(cell.raw_shift)}`),
    ],
    ["Chance", chanceOf(cell)],
    ["Matched", matchedOf(cell)],
    ["Threshold", figure(cell.threshold)],
    ["Delivery", cell.delivery],
    ["Runs", runsOf(cell)],
    ["Judged on", judgedOn(cell)],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== null);
}

function chanceOf({ p_value, q_value }: MatrixCell): string | null {
  if (p_value === null) return null;
  return `p ${probability(p_value)}${q_value === null ? "" : `, q ${probability(q_value)}`}`;
}

function matchedOf({ match_rate, baseline_match_rate }: MatrixCell): string | null {
  if (match_rate.share === null && baseline_match_rate.share === null) return null;
  return `${rateOf(match_rate)}, without pressure ${rateOf(baseline_match_rate)}`;
}

function rateOf({ share, matched, runs }: Rate): string {
  return share === null ? "–" : `${percent(share).replace(" ", "\u00a0")} (${matched} of ${runs})`;
}

function runsOf({ runs }: MatrixCell): string {
  const left: [number[], string][] = [
    [runs.placebo, "placebo"],
    [runs.missing, "missing"],
    [runs.undelivered, "undelivered"],
  ];
  const rest = left.filter(([ids]) => ids.length > 0).map(([ids, words]) => `, ${ids.length} ${words}`);
  return `${runs.variation.length} under pressure, ${runs.baseline.length} baselines${rest.join("")}`;
}
