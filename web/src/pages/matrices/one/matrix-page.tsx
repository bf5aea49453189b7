import { SegmentedControl, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { cellId } from "~/api/cell-id";
import { type Matrix, type MatrixCell, matrixExportPath, matrixQuery } from "~/api/matrices";
import { StatusBadge } from "~/components/badges";
import { Banner } from "~/components/banner";
import { Page, Panel, TextLink } from "~/components/page";
import { ErrorState, PageLoading } from "~/components/states";
import { HeatMap } from "~/pages/matrices/heat-map/heat-map";
import { Legend } from "~/pages/matrices/heat-map/legend";
import { ORDERS, type Order, rowsOf } from "~/pages/matrices/heat-map/rows";
import { nameOf } from "~/pages/matrices/matrix-name";
import { CellPanel } from "~/pages/matrices/one/cell-panel";
import { Gate } from "~/pages/matrices/one/gate";
import { MatrixActions } from "~/pages/matrices/one/matrix-actions";
import { MatrixFacts } from "~/pages/matrices/one/matrix-facts";
import { Outcome } from "~/pages/matrices/one/outcome";
import { useLiveMatrix } from "~/pages/matrices/one/use-live-matrix";
import { compact, oneOf } from "~/shell/search";

const route = getRouteApi("/app/matrices/$matrixId");

export function MatrixPage() {
  const { matrixId } = route.useParams();
  const { data: matrix, error, refetch } = useQuery(matrixQuery(matrixId));
  if (matrix) return <Loaded key={matrixId} matrix={matrix} />;
  return error ? <ErrorState error={error} retry={() => void refetch()} /> : <PageLoading />;
}

const ORDER_NAMES: Record<Order, string> = {
  plan: "As planned",
  risk: "By risk",
  worst: "Worst first",
};

function Loaded({ matrix }: { matrix: Matrix }) {
  useLiveMatrix(matrix);
  const { cell: chosen, order = "plan" } = route.useSearch();
  const navigate = route.useNavigate();
  const rows = useMemo(() => rowsOf(matrix, order), [matrix, order]);
  const cell = chosen === undefined ? undefined : matrix.cells.find((each) => cellId(each) === chosen);
  const open = (next: MatrixCell | null) =>
    void navigate({
      search: ({ order: before }) =>
        compact({ order: before, cell: next === null ? undefined : cellId(next) }),
      resetScroll: false,
    });
  const close = () => {
    open(null);
    document.querySelector<HTMLElement>("[data-place][tabindex='0']")?.focus();
  };
  return (
    <Page
      title={nameOf(matrix)}
      trail={[
        <TextLink key="matrices" to="/matrices">
          Matrices
        </TextLink>,
      ]}
      marks={<StatusBadge status={matrix.status} />}
      actions={<MatrixActions matrix={matrix} />}
      curl={[
        { what: "This matrix with its cells", path: `/api/v1/eval/matrix/${matrix.id}` },
        { what: "Its progress as it goes on", path: `/api/v1/eval/matrix/${matrix.id}/stream` },
        { what: "JUnit for continuous integration", path: matrixExportPath(matrix.id, "junit") },
        { what: "Its runs", path: `/api/v1/eval/runs?matrix_id=${matrix.id}` },
      ]}
    >
      <MatrixFacts matrix={matrix} />
      <Warnings matrix={matrix} />
      <Outcome matrix={matrix} />
      <Panel
        title="Heat map"
        flush
        tools={
          matrix.scenarios.length > 1 && (
            <SegmentedControl
              size="xs"
              aria-label="Order of the rows"
              data={ORDERS.map((value) => ({ value, label: ORDER_NAMES[value] }))}
              value={order}
              onChange={(value) =>
                void navigate({
                  search: (before) => compact({ ...before, order: oneOf(value, ["risk", "worst"]) }),
                  resetScroll: false,
                })
              }
            />
          )
        }
      >
        <HeatMap matrix={matrix} rows={rows} chosen={chosen} onOpen={open} />
        <Legend matrix={matrix} />
      </Panel>
      {cell && <CellPanel key={chosen} matrix={matrix} cell={cell} onClose={close} />}
      {chosen !== undefined && cell === undefined && (
        <Text size="sm" role="alert">
          The address names a cell that this matrix does not have.
        </Text>
      )}
      <Gate matrix={matrix} />
    </Page>
  );
}

function Warnings({ matrix: { warnings, changed, status } }: { matrix: Matrix }) {
  const cannot = status === "cancelled" ? changed.map((each) => `It cannot be resumed: ${each}.`) : [];
  if (warnings.length + cannot.length === 0) return null;
  return (
    <Banner tone="amber" icon={<IconAlertTriangle size={16} aria-hidden />} label="Warnings">
      <Stack gap={4}>
        {[...warnings, ...cannot].map((warning) => (
          <Text key={warning} size="sm">
            {warning}
          </Text>
        ))}
      </Stack>
    </Banner>
  );
}
