import { ArrowDown, ArrowUp } from "lucide-react";
import { useCallback, useMemo } from "react";
import { useParams } from "react-router";
import { EmptyState } from "../../../components/empty-state.tsx";
import { formatCount } from "../../../components/formats.ts";
import { NotLoaded } from "../../../components/not-loaded.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { Pager } from "../../../components/pager.tsx";
import { useAddress } from "../../../components/use-address.ts";
import {
  type DescribedTable,
  FILTER_OPERATORS,
  type TableFilter,
  type TableQuery,
  type TableRow,
  useEditCell,
  useTable,
  useTableRows,
} from "../../../data/operator-tables.ts";
import { Cell } from "./cell.tsx";
import { CsvButtons } from "./csv-buttons.tsx";
import { FilterBar } from "./filter-bar.tsx";

const FILTERS = "filters";

const ORDER = "order";

const DIRECTION = "direction";

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

interface TableQueryState {
  readonly query: TableQuery;
  setFilters(filters: readonly TableFilter[]): void;
  /** Ascending first, then descending, then by the key again. */
  toggleOrder(column: string): void;
}

/** Filters and order of a table, kept in the address. Anybody can write an address, so its parts are checked. */
function useTableQuery(): TableQueryState {
  const { address, change } = useAddress();
  const filters = address.get(FILTERS) ?? "";
  const order = address.get(ORDER) ?? "";
  const isDescending = address.get(DIRECTION) === "desc";
  const query = useMemo(
    () => ({ filters: parseFilters(filters), order, isDescending }),
    [filters, order, isDescending],
  );
  const setFilters = useCallback(
    (next: readonly TableFilter[]) => change({ [FILTERS]: next.length === 0 ? "" : JSON.stringify(next) }),
    [change],
  );
  const toggleOrder = useCallback(
    (column: string) => {
      const isSame = order === column;
      const isLast = isSame && isDescending;
      change({ [ORDER]: isLast ? "" : column, [DIRECTION]: isSame && !isLast ? "desc" : "" });
    },
    [change, order, isDescending],
  );
  return { query, setFilters, toggleOrder };
}

function parseFilters(text: string): readonly TableFilter[] {
  if (text === "") return [];
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed.filter(isFilter) : [];
  } catch {
    return [];
  }
}

function isFilter(value: unknown): value is TableFilter {
  if (!Array.isArray(value) || value.length !== 3) return false;
  const [column, operator, operand] = value as unknown[];
  return (
    typeof column === "string" && FILTER_OPERATORS.some((known) => known === operator) && typeof operand === "string"
  );
}

interface RowGridProps {
  readonly table: DescribedTable;
  readonly rows: readonly TableRow[];
  readonly query: TableQuery;
  onOrder(column: string): void;
}

/** The rows as a grid that scrolls in both directions. */
function RowGrid({ table, rows, query, onOrder }: RowGridProps) {
  const edit = useEditCell(table);
  const keyOf = (row: TableRow) => Object.fromEntries(table.key.map((name) => [name, row[name] ?? null]));
  return (
    // A region that scrolls must be reachable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: as above
    <div
      role="region"
      aria-label={`Rows of ${table.name}`}
      tabIndex={0}
      className="max-h-[70dvh] overflow-auto rounded-lg border border-line bg-surface shadow-1"
    >
      <table className="w-max min-w-full border-collapse text-sm">
        <thead className="sticky top-0 z-10 bg-sunken">
          <tr>
            {table.columns.map(({ name, type }) => (
              <th key={name} scope="col" aria-sort={sortOf(query, name)} className="p-0 text-left">
                <button
                  type="button"
                  title={type}
                  className="flex h-9 w-full items-center gap-1 px-3 font-medium whitespace-nowrap text-ink-soft -outline-offset-2 hover:text-ink [&_svg]:size-3.5"
                  onClick={() => onOrder(name)}
                >
                  {name}
                  {query.order === name && (query.isDescending ? <ArrowDown aria-hidden /> : <ArrowUp aria-hidden />)}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, place) => (
            <tr
              key={table.key.length === 0 ? place : JSON.stringify(keyOf(row))}
              className="border-t border-line hover:bg-hover"
            >
              {table.columns.map((column) => (
                <td key={column.name} className="max-w-80 p-0 align-top">
                  <Cell
                    column={column}
                    value={row[column.name] ?? null}
                    onSave={(to) =>
                      edit.run({ key: keyOf(row), column: column.name, from: row[column.name] ?? null, to })
                    }
                    failure={edit.failure}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function sortOf({ order, isDescending }: TableQuery, name: string): "ascending" | "descending" | undefined {
  if (order !== name) return undefined;
  return isDescending ? "descending" : "ascending";
}
