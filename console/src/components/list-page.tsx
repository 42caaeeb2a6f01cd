import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { DataTable, type DataTableProps } from "./data-table.tsx";
import { EmptyState } from "./empty-state.tsx";
import { NotLoaded } from "./not-loaded.tsx";
import { PageHeader } from "./page-header.tsx";
import { Pager } from "./pager.tsx";
import { SearchInput } from "./search-input.tsx";
import { Toolbar } from "./toolbar.tsx";
import type { Filters } from "./use-filters.ts";

/** A list that fits on a screen needs no count below it. */
const MAX_UNCOUNTED = 9;

/** Rows that are loaded page by page. */
interface LoadedPages<Row> {
  /** Undefined until the first page is loaded. */
  readonly rows: readonly Row[] | undefined;
  readonly failure: { readonly message: string } | null;
  reload(): void;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  loadMore(): void;
}

export interface ListProps<Row> {
  /** "agents" */
  readonly noun: string;
  readonly pages: LoadedPages<Row>;
  /** In place of a list without rows, when no filter is set. */
  readonly empty: ReactNode;
  readonly isFiltered?: boolean;
  /** In place of a list without rows, when a filter is set. */
  readonly noMatch?: ReactNode;
  readonly skeleton?: ReactNode;
  readonly table?: Omit<DataTableProps<Row>, "rows" | "onEndReached" | "foot">;
  /** Renders rows that are no table; `foot` counts them and loads more. */
  children?(rows: readonly Row[], foot: ReactNode): ReactNode;
}

/** The rows of a list, or why there are none: loading, a failure, nothing yet, no match. */
export function List<Row>(props: ListProps<Row>) {
  const { noun, pages, empty, isFiltered = false, noMatch, skeleton, table, children } = props;
  const { rows, hasMore, isLoadingMore, loadMore } = pages;
  if (rows === undefined)
    return <NotLoaded title={`The ${noun} could not be loaded`} read={pages} skeleton={skeleton} />;
  if (rows.length === 0) return isFiltered ? noMatch : empty;
  const needsFoot = hasMore || rows.length > MAX_UNCOUNTED;
  const foot = needsFoot && (
    <Pager shown={rows.length} hasMore={hasMore} isBusy={isLoadingMore} onMore={loadMore} noun={noun} />
  );
  if (table !== undefined) return <DataTable {...table} rows={rows} onEndReached={loadMore} foot={foot} />;
  return children?.(rows, foot);
}

export interface ListPageProps<Row> extends Omit<ListProps<Row>, "isFiltered" | "noMatch"> {
  /** Replaces the usual "No agent matches". */
  readonly noMatch?: ReactNode;
  readonly title: string;
  readonly description: string;
  readonly actions?: ReactNode;
  readonly filters: Filters;
  readonly searchLabel: string;
  /** Selects beside the search. */
  readonly selects?: ReactNode;
  /** One row, for the title of the state without a match: "agent". */
  readonly one: string;
  /** What the filters compare with. */
  readonly noMatchHint: string;
  /** Between header and filters. */
  readonly above?: ReactNode;
  /** Below the list: what can be done with the selected rows. */
  readonly bulk?: ReactNode;
}

/** A page that lists rows: header, search and filters, rows. Without rows and filters there is nothing to filter. */
export function ListPage<Row>(props: ListPageProps<Row>) {
  const {
    title,
    description,
    actions,
    filters,
    searchLabel,
    selects,
    one,
    noMatch,
    noMatchHint,
    above,
    bulk,
    ...list
  } = props;
  const { noun, pages } = list;
  const isEmpty = pages.rows?.length === 0 && !filters.isFiltered;
  return (
    <>
      <PageHeader title={title} description={description} actions={actions} />
      {above}
      {!isEmpty && (
        <Toolbar label={`Filter the ${noun}`}>
          <SearchInput label={searchLabel} value={filters.search} onChange={filters.setSearch} />
          {selects}
        </Toolbar>
      )}
      <List
        {...list}
        isFiltered={filters.isFiltered}
        noMatch={
          noMatch ?? (
            <EmptyState
              picture="search"
              title={`No ${one} matches`}
              action={<Button onClick={filters.clear}>Show all {noun}</Button>}
            >
              {noMatchHint}
            </EmptyState>
          )
        }
      />
      {bulk}
    </>
  );
}
