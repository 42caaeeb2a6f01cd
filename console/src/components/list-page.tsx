import { Plus } from "lucide-react";
import { type ReactNode, type RefObject, useMemo, useRef } from "react";
import { useNavigate } from "react-router";
import { Button } from "./button.tsx";
import { BulkBar, type BulkBarProps } from "./bulk-bar.tsx";
import { type Command, useCommands } from "./commands.tsx";
import { type Column, DataTable, type DataTableProps } from "./data-table.tsx";
import { EmptyState } from "./empty-state.tsx";
import { ExportButton, type ListFilter, ListFilters, type Orders } from "./list-filters.tsx";
import type { IllustrationName } from "./illustration.tsx";
import { ButtonLink } from "./link.tsx";
import { NotLoaded } from "./not-loaded.tsx";
import { PageHeader } from "./page-header.tsx";
import { Pager } from "./pager.tsx";
import { SearchInput } from "./search-input.tsx";
import { Toolbar } from "./toolbar.tsx";
import type { Filters } from "./use-filters.ts";

/** A list that fits on a screen needs no count below it. */
const MAX_UNCOUNTED = 9;
const NO_FILTERS: readonly ListFilter[] = [];

interface NamedRow {
  readonly id: string;
  readonly name: string;
}

/** Rows that are loaded page by page. */
interface LoadedPages<Row> {
  /** Undefined until the first page is loaded. */
  readonly rows: readonly Row[] | undefined;
  readonly failure: { readonly message: string } | null;
  reload(): void;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  loadMore(): void;
  readAll?(): Promise<{ readonly rows: readonly Row[]; readonly isCut: boolean }>;
}

interface ListProps<Row> {
  /** "agents" */
  readonly noun: string;
  readonly pages: LoadedPages<Row>;
  /** In place of a list without rows, when no filter is set: a text about what the rows are, or more. */
  readonly empty: ReactNode;
  readonly picture?: IllustrationName;
  /** Below the text: how to make the first row. */
  readonly emptyAction?: ReactNode;
  /** Absent means that the list has no filters. */
  readonly filters?: Filters;
  /** Absent means that the list has no search. */
  readonly searchLabel?: string;
  readonly choices?: readonly ListFilter[];
  /** Whether the rows can be limited to a range of time. */
  readonly hasTime?: boolean;
  readonly orders?: Orders;
  /** Buttons at the end of the filters. */
  readonly tools?: ReactNode;
  /** One row, for the title of the state without a match: "agent". */
  readonly one?: string;
  /** What the filters compare with. */
  readonly noMatchHint?: string;
  readonly skeleton?: ReactNode;
  readonly table?: Omit<DataTableProps<Row>, "rows" | "onEndReached" | "foot" | "label"> & {
    /** By default the noun. */
    readonly label?: string;
  };
  /** Renders rows that are no table; `foot` counts them and loads more. */
  children?(rows: readonly Row[], foot: ReactNode): ReactNode;
  /** The columns of the file; by default those of the table. */
  readonly exported?: readonly Column<Row>[];
  /** What can be done with the selected rows. */
  readonly bulk?: Pick<BulkBarProps<Row & NamedRow>, "selection" | "actions">;
}

/** Filters and rows, or why there are none: loading, a failure, nothing yet, no match. Without rows and filters there is nothing to filter. */
export function List<Row>(props: ListProps<Row>) {
  const {
    noun,
    pages,
    filters,
    searchLabel,
    choices = NO_FILTERS,
    hasTime = false,
    orders,
    tools,
    bulk,
    table,
  } = props;
  const { exported = table?.columns, one = noun } = props;
  const list = useRef<HTMLDivElement>(null);
  const { rows = [] } = pages;
  useListKeys(list, rows.length > 0);
  const isEmpty = pages.rows?.length === 0 && filters?.isFiltered !== true;
  const readAll = pages.readAll ?? (async () => ({ rows, isCut: false }));
  return (
    <>
      {!isEmpty && (
        <Toolbar label={`Filter the ${noun}`}>
          {filters !== undefined && searchLabel !== undefined && (
            <SearchInput label={searchLabel} value={filters.search} onChange={filters.setSearch} />
          )}
          {filters !== undefined && <ListFilters {...{ filters, choices, hasTime, orders }} />}
          {tools}
          {exported !== undefined && rows.length > 0 && <ExportButton {...{ noun, columns: exported, readAll }} />}
        </Toolbar>
      )}
      <div ref={list}>
        <Rows {...props} />
      </div>
      {bulk !== undefined && <BulkBar {...bulk} nouns={[one, noun]} />}
    </>
  );
}

function Rows<Row>(props: ListProps<Row>) {
  const { noun, one = noun, pages, empty, filters, noMatchHint, skeleton, table, children } = props;
  const { picture = "search", emptyAction, bulk } = props;
  const { rows, hasMore, isLoadingMore, loadMore } = pages;
  if (rows === undefined)
    return <NotLoaded title={`The ${noun} could not be loaded`} read={pages} skeleton={skeleton} />;
  if (rows.length === 0 && filters?.isFiltered !== true)
    return typeof empty === "string" ? (
      <EmptyState picture={picture} title={`No ${noun} yet`} action={emptyAction}>
        {empty}
      </EmptyState>
    ) : (
      empty
    );
  if (rows.length === 0)
    return (
      <EmptyState
        picture="search"
        title={`No ${one} matches`}
        action={<Button onClick={filters?.clear}>Show all {noun}</Button>}
      >
        {noMatchHint}
      </EmptyState>
    );
  const needsFoot = hasMore || rows.length > MAX_UNCOUNTED;
  const foot = needsFoot && (
    <Pager shown={rows.length} hasMore={hasMore} isBusy={isLoadingMore} onMore={loadMore} noun={noun} />
  );
  const selection = bulk === undefined ? {} : { selection: bulk.selection };
  if (table !== undefined)
    return (
      <DataTable label={toTitle(noun)} {...selection} {...table} rows={rows} onEndReached={loadMore} foot={foot} />
    );
  return children?.(rows, foot);
}

function toTitle(noun: string): string {
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
}

/** Rows with names that the user creates, and that have a page each. */
interface NamedRows {
  /** "agents": the first segment of the paths. */
  readonly path: string;
  /** Where a new row is created, if not at `/<path>/new`. */
  readonly to?: string;
  readonly more?: readonly (Omit<Command, "group" | "run"> & { readonly to: string })[];
}

interface ListPageProps<Row> extends ListProps<Row> {
  readonly title: string;
  readonly description: string;
  readonly actions?: ReactNode;
  /** Between header and filters. */
  readonly above?: ReactNode;
  /** Adds a button and a command that create a row. */
  readonly named?: NamedRows;
}

/** A page that lists rows. */
export function ListPage<Row>({ title, description, actions, above, named, ...list }: ListPageProps<Row>) {
  const { one = "", table } = list;
  const navigate = useNavigate();
  const newPath = named?.to ?? `/${named?.path}/new`;
  const commands = [
    { id: `${named?.path}.new`, label: `New ${one}`, icon: <Plus />, keys: "n", to: newPath },
    ...(named?.more ?? []),
  ];
  useCommands(
    named === undefined
      ? []
      : commands.map(({ to, ...command }) => ({ ...command, group: title, run: () => void navigate(to) })),
  );
  const add = named && (
    <ButtonLink to={newPath} variant="primary" icon={<Plus />}>
      New {one}
    </ButtonLink>
  );
  const opened = named && {
    label: (row: Row) => `Open ${(row as NamedRow).name}`,
    to: (row: Row) => `/${named.path}/${(row as NamedRow).id}`,
  };
  return (
    <>
      <PageHeader
        title={title}
        description={description}
        actions={
          <>
            {actions}
            {add}
          </>
        }
      />
      {above}
      <List
        emptyAction={add}
        {...list}
        {...(table !== undefined && { table: { ...(opened !== undefined && { onOpen: opened }), ...table } })}
      />
    </>
  );
}

/** Keys of a list: j and k move the focus from row to row, Enter opens the row as the link that it is, x selects it. */
function useListKeys(list: RefObject<HTMLElement | null>, isOn: boolean): void {
  useCommands(
    useMemo(() => {
      const move = (by: number) => () => {
        const rows = [...(list.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
        const at = rows.findIndex((row) => row.contains(document.activeElement));
        const next = rows[at === -1 ? 0 : at + by];
        next?.querySelector<HTMLElement>("a, button")?.focus();
        next?.scrollIntoView({ block: "nearest" });
      };
      const select = () =>
        document.activeElement?.closest("[data-row]")?.querySelector<HTMLElement>("input[type=checkbox]")?.click();
      const command = (id: string, label: string, keys: string, run: () => void) => {
        return { id: `list.${id}`, label, group: "List", isKeyOnly: true, keys, run };
      };
      if (!isOn) return [];
      return [
        command("next", "Next row", "j", move(1)),
        command("previous", "Previous row", "k", move(-1)),
        command("select", "Select the row", "x", select),
      ];
    }, [list, isOn]),
  );
}
