import { useMemo } from "react";
import { type ListedTable, useTables } from "../../../data/operator-tables.ts";
import { Badge } from "../../../components/badge.tsx";
import type { Column } from "../../../components/data-table.tsx";
import { formatCount } from "../../../components/formats.ts";
import { ListPage } from "../../../components/list-page.tsx";
import { useFilters } from "../../../components/use-filters.ts";

const COLUMNS: readonly Column<ListedTable>[] = [
  { title: "Table", width: "2fr", narrow: "title", render: ({ name }) => name },
  { title: "Schema", render: ({ schema }) => schema },
  { title: "Kind", render: ({ kind }) => <Badge>{kind}</Badge> },
  {
    title: "Rows (estimate)",
    isNumber: true,
    narrow: "trailing",
    render: ({ estimated_rows: rows }) => (rows === null ? "not known" : `about ${formatCount(Number(rows))}`),
  },
];

function pathOfTable({ schema, name }: Pick<ListedTable, "schema" | "name">): string {
  return `/operator/tables/${encodeURIComponent(schema)}/${encodeURIComponent(name)}`;
}

export function TableList() {
  const filters = useFilters();
  const { rows: listed, failure, reload } = useTables();
  const search = filters.debouncedSearch.toLowerCase();
  const rows = useMemo(
    () => listed?.tables.filter(({ schema, name }) => `${schema}.${name}`.toLowerCase().includes(search)),
    [listed, search],
  );
  return (
    <ListPage
      title="Tables"
      description="The tables and views of the exposed schemas. Columns with credentials are not shown."
      noun="tables"
      one="table"
      noMatchHint="No table has this name."
      filters={filters}
      searchLabel="Search tables"
      pages={{ rows, failure, reload, hasMore: false, isLoadingMore: false, loadMore: () => {} }}
      empty="DB_SCHEMAS names the schemas that are exposed."
      table={{
        label: "Tables",
        columns: COLUMNS,
        keyOf: pathOfTable,
        onOpen: { label: ({ name }) => name, to: pathOfTable },
      }}
    />
  );
}
