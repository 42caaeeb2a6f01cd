import { useParams } from "react-router";
import { type DescribedTable, useTable, useTableRows } from "../../../data/operator-tables.ts";
import { EmptyState } from "../../../components/empty-state.tsx";
import { NotLoaded } from "../../../components/not-loaded.tsx";
import { formatCount } from "../../../components/formats.ts";
import { Pager } from "../../../components/pager.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { CsvButtons } from "./csv-buttons.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { RowGrid } from "./row-grid.tsx";
import { type TableQueryState, useTableQuery } from "./use-table-query.ts";

const CRUMBS = [{ label: "Tables", to: "/operator/tables" }];

export function TablePage() {
  const { schema = "", table: name = "" } = useParams();
  const { rows: table, ...read } = useTable({ schema, name });
  const state = useTableQuery();
  if (table === undefined)
    return (
      <>
        <PageHeader title={name} crumbs={CRUMBS} />
        <NotLoaded title="The table could not be loaded" read={read} />
      </>
    );
  return (
    <>
      <PageHeader
        title={name}
        crumbs={CRUMBS}
        description={describe(table)}
        actions={<CsvButtons table={table} query={state.query} />}
      />
      {/* A new key for another table: the fields of the filter name its columns. */}
      <FilterBar key={`${schema}.${name}`} table={table} filters={state.query.filters} onChange={state.setFilters} />
      <Rows table={table} state={state} />
    </>
  );
}

function describe({ estimated_rows: rows, withheld, is_editable: isEditable, kind }: DescribedTable): string {
  return [
    `${kind === "view" ? "A view" : "A table"}${rows === null ? "" : ` with about ${formatCount(Number(rows))} rows`}.`,
    ...(isEditable ? ["Click a value to change it."] : ["Its rows cannot be edited here."]),
    ...(withheld.length === 0 ? [] : [`Not shown: ${withheld.join(", ")}.`]),
  ].join(" ");
}

function Rows({ table, state }: { readonly table: DescribedTable; readonly state: TableQueryState }) {
  const { rows, hasMore, isLoadingMore, loadMore, ...read } = useTableRows(table, state.query);
  if (rows === undefined) return <NotLoaded title="The rows could not be loaded" read={read} />;
  if (rows.length === 0)
    return (
      <EmptyState picture="search" title={state.query.filters.length === 0 ? "There are no rows" : "No row matches"}>
        {state.query.filters.length === 0 ? "The table is empty." : "Remove a filter to see more."}
      </EmptyState>
    );
  return (
    <>
      <RowGrid table={table} rows={rows} query={state.query} onOrder={state.toggleOrder} />
      <Pager shown={rows.length} hasMore={hasMore} isBusy={isLoadingMore} onMore={loadMore} noun="rows" />
    </>
  );
}
