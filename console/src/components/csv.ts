import type { Column } from "./data-table.tsx";

type Cell = string | number | null | undefined;

function writeCell(value: Cell): string {
  if (typeof value === "number") return String(value);
  // Spreadsheets would evaluate texts that begin like a formula.
  const text = (value ?? "").replace(/^\s*[=+\-@＝＋－＠]|^[\t\r\n]/u, "'$&");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What a file has of rows: their ids if they have one and, of each column, its text or what it renders if that is a text itself. */
export function writeRows<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const idOf = (row: Row) => (row as { readonly id?: unknown }).id;
  const hasIds = rows.some((row) => idOf(row) !== undefined);
  const written = [
    ...(hasIds ? [{ title: "Id", text: (row: Row) => toCell(idOf(row)) }] : []),
    ...columns.filter(({ title }) => title !== "Id"),
  ] as readonly Column<Row>[];
  const lines = [
    written.map(({ title }) => title),
    ...rows.map((row) => written.map(({ text, render }) => (text === undefined ? toCell(render(row)) : text(row)))),
  ];
  // Lines end as spreadsheets read them.
  return lines.map((cells) => `${cells.map(writeCell).join(",")}\r\n`).join("");
}

function toCell(value: unknown): Cell {
  return typeof value === "string" || typeof value === "number" ? value : "";
}

/** Columns of a file alone, for rows that are shown as cards. */
export function columnsOf<Row>(...names: readonly (keyof Row & string)[]): readonly Column<Row>[] {
  return names.map((name) => ({ title: name, render: (row) => toCell(row[name]) }));
}
