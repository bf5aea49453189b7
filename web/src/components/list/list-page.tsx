import { Group } from "@mantine/core";
import type { ReactNode, Ref } from "react";
import type { CurlRequest } from "~/components/curl";
import classes from "~/components/list/list.module.css";
import { Page, Panel } from "~/components/page";
import { ErrorState, RowsLoading } from "~/components/states";

interface ListPageProps {
  title: string;
  actions?: ReactNode;
  curl: CurlRequest[];
  /** Above the panel. */
  filters?: ReactNode;
  panelTitle?: string;
  panelTools?: ReactNode;
  /** In the panel, above the rows. */
  bar?: ReactNode;
  /** Another list is on its way; the rows are still those of the last one. */
  stale?: boolean;
  /** The element around the rows. */
  region?: Ref<HTMLDivElement>;
  footer?: ReactNode;
  children: ReactNode;
}

/** A page that is one list. */
export function ListPage(props: ListPageProps) {
  const { title, actions, curl, filters, panelTitle, panelTools, bar, stale, region, footer, children } =
    props;
  return (
    <Page title={title} actions={actions} curl={curl}>
      {filters}
      <Panel {...(panelTitle !== undefined && { title: panelTitle })} tools={panelTools} flush>
        {bar}
        <div ref={region} className={classes.region} data-stale={stale || undefined}>
          {children}
        </div>
        {footer}
      </Panel>
    </Page>
  );
}

/** Filters in the panel of a list. */
export function ListBar({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Group p="xs" gap="xs" className={classes.bar ?? ""} role="search" aria-label={label}>
      {children}
    </Group>
  );
}

interface ListRowsProps {
  /** Undefined until they have been read. */
  rows: readonly unknown[] | undefined;
  error: unknown;
  retry: () => void;
  /** How many grey bars stand for rows that are not there yet. */
  bars?: number;
  empty: ReactNode;
  children: ReactNode;
}

/** The table of a list, or why there is none. */
export function ListRows({ rows, error, retry, bars, empty, children }: ListRowsProps) {
  if (rows !== undefined) return rows.length === 0 ? empty : children;
  if (error) return <ErrorState error={error} retry={retry} />;
  return <RowsLoading {...(bars !== undefined && { rows: bars })} />;
}
