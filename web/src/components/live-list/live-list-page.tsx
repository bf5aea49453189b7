import type { ReactNode, Ref } from "react";
import type { CurlRequest } from "~/components/curl";
import { type Column, DataTable, type Sort, sortToText } from "~/components/data-table";
import { ListPage, ListRows } from "~/components/list/list-page";
import { ListFooter } from "~/components/list/page-turns";
import { Live, NewRows } from "~/components/live-list/live";
import type { LiveList } from "~/components/live-list/use-live-list";

interface LiveListPageProps<Row extends { id: number }> {
  title: string;
  /** One of them in words. */
  noun: string;
  actions?: ReactNode;
  curl: CurlRequest[];
  filters: ReactNode;
  list: LiveList<Row>;
  /** The element around the rows. */
  region: Ref<HTMLDivElement>;
  columns: Column<Row>[];
  cursor: string | undefined;
  sort: Sort | null;
  /** Another page, or another order of the first. */
  onTurn: (to: { cursor?: string | undefined; sort?: string | undefined }) => void;
  /** How much is shown of a list that has several pages. */
  count: ReactNode;
  empty: ReactNode;
  onOpen: (row: Row) => void;
}

/** A page with a list that follows what happens. */
export function LiveListPage<Row extends { id: number }>(props: LiveListPageProps<Row>) {
  const { title, noun, list, cursor, sort, onTurn } = props;
  return (
    <ListPage
      title={title}
      actions={props.actions}
      curl={props.curl}
      filters={props.filters}
      panelTitle={sort ? title : cursor ? `Older ${noun}s` : `Newest ${noun}s`}
      panelTools={<Live state={list.live} />}
      region={props.region}
      stale={list.stale}
      footer={
        <ListFooter
          cursor={cursor}
          next={list.nextCursor}
          stale={list.stale}
          first={sort ? "First" : "Newest"}
          onTurn={(to) => onTurn({ cursor: to })}
        >
          {props.count}
        </ListFooter>
      }
    >
      <NewRows list={list} noun={noun} />
      <ListRows rows={list.rows} error={list.error} retry={list.retry} bars={12} empty={props.empty}>
        <DataTable
          label={title}
          columns={props.columns}
          rows={list.rows ?? []}
          rowKey={({ id }) => id}
          sort={sort}
          onSort={(next) => onTurn({ sort: sortToText(next) })}
          onOpen={props.onOpen}
        />
      </ListRows>
    </ListPage>
  );
}
