import { clsx } from "clsx";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { SelectBox } from "./select-box.tsx";
import { VirtualList } from "./virtual-list.tsx";

export interface Column<Row> {
  readonly title: string;
  render(row: Row): ReactNode;
  /** What a file has of it, if `render` returns no text. */
  text?(row: Row): string | number | null | undefined;
  /** A CSS grid track: "2fr", "8rem". */
  readonly width?: string;
  readonly isNumber?: boolean;
  /** On a narrow screen: "title" is the first line of the card, "trailing" its right end, "hidden" is omitted. */
  readonly narrow?: "title" | "trailing" | "line" | "hidden";
}

/** Adds a box to each row that can be selected. */
interface RowSelection<Row> {
  has(id: string): boolean;
  toggle(id: string, isRange: boolean): void;
  /** By default the name of the row. */
  name?(row: Row): string;
  can?(row: Row): boolean;
}

export interface DataTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** By default the id of the row. */
  keyOf?(row: Row): string;
  /** Makes rows clickable: links to another page, or buttons. `label` is the accessible name of the row's link or button. */
  readonly onOpen?: { label(row: Row): string } & ({ to(row: Row): string } | { open(row: Row): void });
  onEndReached?(): void;
  readonly foot?: ReactNode;
  readonly selection?: RowSelection<Row>;
}

const ROW_HEIGHT = 49;

const idOf = (row: unknown) => String((row as { readonly id?: unknown }).id);
const nameOf = (row: unknown) => String((row as { readonly name?: unknown }).name);

/** A virtualized table, shown as cards on narrow screens. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, keyOf = idOf, onOpen, onEndReached, foot, selection } = props;
  const tracks = columns.map(({ width }) => `minmax(0, ${width ?? "1fr"})`).join(" ");
  return (
    <div className="rounded-lg border border-line bg-surface shadow-1">
      <div
        aria-hidden
        className={clsx(
          "hidden gap-4 border-b border-line py-2.5 pr-4 text-xs font-medium text-ink-faint md:grid",
          selection === undefined ? "pl-4" : "pl-12",
        )}
        style={{ gridTemplateColumns: tracks }}
      >
        {columns.map((column) => (
          <div key={column.title} className={clsx("truncate", column.isNumber === true && "text-right")}>
            {column.title}
          </div>
        ))}
      </div>
      <VirtualList
        label={label}
        rows={rows}
        keyOf={keyOf}
        rowHeight={ROW_HEIGHT}
        {...(onEndReached !== undefined && { onEndReached })}
        renderRow={(row) => (
          <div data-row className="relative border-b border-line hover:bg-hover">
            {onOpen !== undefined && <OpenRow row={row} onOpen={onOpen} />}
            {selection !== undefined && selection.can?.(row) !== false && (
              <SelectBox
                name={(selection.name ?? nameOf)(row)}
                isSelected={selection.has(keyOf(row))}
                onToggle={(isRange) => selection.toggle(keyOf(row), isRange)}
                className="absolute! top-3 left-3"
              />
            )}
            <div className={selection === undefined ? "" : "pl-8"}>
              <WideRow columns={columns} row={row} tracks={tracks} />
              <NarrowRow columns={columns} row={row} />
            </div>
          </div>
        )}
      />
      {foot}
    </div>
  );
}

function OpenRow<Row>({ row, onOpen }: { readonly row: Row } & Required<Pick<DataTableProps<Row>, "onOpen">>) {
  const place = { "aria-label": onOpen.label(row), className: "absolute inset-0 -outline-offset-2" };
  if ("to" in onOpen) return <Link to={onOpen.to(row)} {...place} />;
  return <button type="button" onClick={() => onOpen.open(row)} {...place} />;
}

interface RowProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly row: Row;
}

/** The content lies above the button that opens the row; only links, buttons and times receive pointer events. */
const ABOVE =
  "pointer-events-none relative [&_a]:pointer-events-auto [&_button]:pointer-events-auto [&_time]:pointer-events-auto";

function WideRow<Row>({ columns, row, tracks }: RowProps<Row> & { readonly tracks: string }) {
  return (
    <div
      className={clsx(ABOVE, "hidden min-h-12 items-center gap-4 px-4 py-2 md:grid")}
      style={{ gridTemplateColumns: tracks }}
    >
      {columns.map((column) => (
        <div
          key={column.title}
          className={clsx("min-w-0 truncate", column.isNumber === true && "text-right tabular-nums")}
        >
          <span className="sr-only">{column.title}: </span>
          {column.render(row)}
        </div>
      ))}
    </div>
  );
}

function NarrowRow<Row>({ columns, row }: RowProps<Row>) {
  const of = (place: Column<Row>["narrow"]) => columns.filter(({ narrow = "line" }) => narrow === place);
  return (
    <div className={clsx(ABOVE, "grid gap-1.5 p-4 md:hidden")}>
      <div className="flex min-w-0 items-center justify-between gap-3">
        <div className="min-w-0 truncate font-medium">
          {of("title").map((column) => (
            <span key={column.title}>{column.render(row)}</span>
          ))}
        </div>
        <div className="shrink-0">
          {of("trailing").map((column) => (
            <span key={column.title}>{column.render(row)}</span>
          ))}
        </div>
      </div>
      {of("line").map((column) => (
        <div key={column.title} className="flex min-w-0 justify-between gap-3 text-sm">
          <span className="text-ink-faint">{column.title}</span>
          <span className="min-w-0 truncate text-right text-ink-soft tabular-nums">{column.render(row)}</span>
        </div>
      ))}
    </div>
  );
}
