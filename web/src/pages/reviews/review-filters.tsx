import { Chip, Group, SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { agentsQuery } from "~/api/queries";
import { variationsQuery } from "~/api/variations";
import { RISK_LEVELS, variationName } from "~/components/evals/names";
import { ChoiceFilter, ClearFilters, NamedFilter, Only, withChosen } from "~/components/list/filters";
import { VERDICTS } from "~/pages/reviews/verdicts";
import { REVIEW_SOURCES, REVIEW_VERDICTS } from "~/routes";
import { oneOf, word } from "~/shell/search";

const HALF = { base: "calc(50% - 3px)", xs: 150 };
/** Longer lists can be searched. */
const SHORT_LIST = 8;
const SOURCES = [
  { value: "flag", label: "flags" },
  { value: "incident", label: "incidents" },
  { value: "sample", label: "samples" },
  { value: "manual", label: "submitted" },
] as const;

const route = getRouteApi("/app/review");
type Search = ReturnType<typeof route.useSearch>;

/** What stands in the address; undefined takes a filter out of it. */
export type ReviewSearch = { [Name in keyof Search]?: Search[Name] | undefined };

interface ReviewFilterBarProps {
  search: ReviewSearch;
  onChange: (change: ReviewSearch) => void;
  onClear: () => void;
  active: boolean;
}

export function ReviewFilterBar({ search, onChange, onClear, active }: ReviewFilterBarProps) {
  const { data: agents = [] } = useQuery(agentsQuery);
  const { data: variations = [] } = useQuery(variationsQuery);
  const decided = search.status === "decided";
  return (
    <Group gap="xs" role="search" aria-label="Filter the queue">
      <SegmentedControl
        size="xs"
        aria-label="Status"
        data={["open", "decided", "superseded"]}
        value={search.status ?? "open"}
        onChange={(status) =>
          onChange({ status: oneOf(status, ["decided", "superseded"]), verdict: undefined })
        }
      />
      {decided && (
        <ChoiceFilter
          label="Verdict"
          any="Any verdict"
          w={HALF}
          data={VERDICTS.map(({ verdict, name }) => ({ value: verdict, label: name.toLowerCase() }))}
          value={search.verdict}
          onChange={(verdict) => onChange({ verdict: oneOf(verdict, REVIEW_VERDICTS) })}
        />
      )}
      <ChoiceFilter
        label="Source"
        any="Any source"
        w={HALF}
        data={[...SOURCES]}
        value={search.source}
        onChange={(source) => onChange({ source: oneOf(source, REVIEW_SOURCES) })}
      />
      <ChoiceFilter
        label="Risk"
        any="Any risk"
        w={HALF}
        data={RISK_LEVELS.map((level) => ({ value: level, label: level }))}
        value={search.risk_level}
        onChange={(level) => onChange({ risk_level: oneOf(level, RISK_LEVELS) })}
      />
      <ChoiceFilter
        label="Variation"
        any="Any variation"
        nothingFound="Nothing of that name"
        w={HALF}
        searchable={variations.length >= SHORT_LIST}
        data={withChosen(
          ["baseline", ...variations.map(({ name }) => name)].map((name) => ({
            value: name,
            label: variationName(name),
          })),
          search.variation_type,
          variationName,
        )}
        value={search.variation_type}
        onChange={(type) => onChange({ variation_type: word(type) })}
      />
      <NamedFilter
        label="Agent"
        any="Any agent"
        nothingFound="Nothing of that name"
        w={HALF}
        searchable={agents.length > SHORT_LIST}
        choices={agents}
        value={search.agent_id}
        onChange={(agent_id) => onChange({ agent_id })}
      />
      <Chip
        size="xs"
        variant="outline"
        radius="sm"
        checked={search.confirmed === true}
        onChange={(only) => onChange({ confirmed: only || undefined })}
      >
        confirmed
      </Chip>
      {search.confirmed === false && (
        <Only onClear={() => onChange({ confirmed: undefined })}>Not confirmed</Only>
      )}
      {search.matrix_id !== undefined && (
        <Only onClear={() => onChange({ matrix_id: undefined })}>Matrix {search.matrix_id.slice(0, 8)}</Only>
      )}
      {active && <ClearFilters onClear={onClear} />}
    </Group>
  );
}
