import { Group, Text, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { counted } from "~/components/counted";
import type { CurlRequest } from "~/components/curl";
import { type Column, DataTable, sortFromText, sortToText } from "~/components/data-table";
import classes from "~/components/list/list.module.css";
import { ListPage, ListRows } from "~/components/list/list-page";
import { NothingFits } from "~/components/list/nothing-fits";

interface SearchChange {
  q?: string | undefined;
  sort?: string | undefined;
}

interface SearchedListPageProps<Row extends { id: number | string }> {
  title: string;
  /** One of them in words. */
  noun: string;
  actions?: ReactNode;
  curl: CurlRequest[];
  list: UseQueryResult<Row[]>;
  columns: Column<Row>[];
  q: string;
  sort: string | undefined;
  onSearch: (change: SearchChange) => void;
  /** What is searched, in a few words. */
  placeholder: string;
  textsOf: (row: Row) => string[];
  /** A filter beside the text, and whether a row passes it. */
  filter?: ReactNode;
  passes?: (row: Row) => boolean;
  onShowAll?: () => void;
  nothingFits: ReactNode;
  empty: ReactNode;
  onOpen: (row: Row) => void;
}

/** A page with all there are of something, searched and sorted here. */
export function SearchedListPage<Row extends { id: number | string }>(props: SearchedListPageProps<Row>) {
  const { title, noun, list, q, onSearch, textsOf, passes = () => true } = props;
  const all = list.data ?? [];
  const sought = q.trim().toLowerCase();
  const shown = all.filter(
    (row) => passes(row) && textsOf(row).some((text) => text.toLowerCase().includes(sought)),
  );
  return (
    <ListPage
      title={title}
      actions={props.actions}
      curl={props.curl}
      bar={
        all.length > 0 && (
          <Group p="xs" gap="xs" className={classes.bar ?? ""}>
            <TextInput
              data-filter
              size="xs"
              aria-label={`Filter ${title.toLowerCase()}`}
              placeholder={props.placeholder}
              leftSection={<IconSearch size={14} />}
              value={q}
              onChange={(event) => onSearch({ q: event.currentTarget.value || undefined })}
              w={{ base: "100%", xs: 280 }}
            />
            {props.filter}
            <Text size="xs" c="var(--ody-text-dim)" ml="auto" role="status">
              {shown.length === all.length ? counted(all.length, noun) : `${shown.length} of ${all.length}`}
            </Text>
          </Group>
        )
      }
    >
      <ListRows rows={list.data} error={list.error} retry={() => void list.refetch()} empty={props.empty}>
        {shown.length === 0 ? (
          <NothingFits
            title={`No ${noun} fits`}
            action={`Show all ${all.length}`}
            onShowAll={props.onShowAll ?? (() => onSearch({ q: undefined }))}
          >
            {props.nothingFits}
          </NothingFits>
        ) : (
          <DataTable
            label={title}
            columns={props.columns}
            rows={shown}
            rowKey={({ id }) => id}
            sort={sortFromText(props.sort)}
            onSort={(next) => onSearch({ sort: sortToText(next) })}
            onOpen={props.onOpen}
          />
        )}
      </ListRows>
    </ListPage>
  );
}
