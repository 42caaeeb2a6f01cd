export interface Cells {
  readonly columns: readonly { readonly name: string; readonly isNumber: boolean }[];
  readonly rows: readonly (readonly (string | null)[])[];
}

const NULL = "NULL";
/** Characters that terminals show in two columns: East Asian wide forms and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const INVISIBLE = /\p{Mn}|\p{Me}|\p{Cf}/u;

/** A table with a line for each row; a value of several lines continues below itself, marked by `+`. */
export function renderTable({ columns, rows }: Cells): string {
  const lines = rows.map((row) => row.map((value) => splitLines(value)));
  const widths = columns.map(({ name }) => widthOf(escapeControls(name)));
  for (const row of lines)
    for (const [place, cell] of row.entries())
      for (const line of cell) widths[place] = Math.max(widths[place] ?? 0, widthOf(line));
  const render = (cells: readonly string[], marks: readonly string[]): string =>
    cells
      .map((cell, place) => {
        const room = " ".repeat(Math.max(0, (widths[place] ?? 0) - widthOf(cell)));
        const isRight = columns[place]?.isNumber === true;
        return ` ${isRight ? room + cell : cell + room}${marks[place] ?? " "}`;
      })
      .join("|")
      .trimEnd();
  return [
    render(
      columns.map(({ name }) => escapeControls(name)),
      [],
    ),
    widths.map((width) => "-".repeat(width + 2)).join("+"),
    ...lines.flatMap((row) => {
      const height = row.reduce((most, cell) => Math.max(most, cell.length), 1);
      return Array.from({ length: height }, (_, at) =>
        render(
          row.map((cell) => cell[at] ?? ""),
          row.map((cell) => (at + 1 < cell.length ? "+" : " ")),
        ),
      );
    }),
    `(${rows.length} ${rows.length === 1 ? "row" : "rows"})`,
    "",
  ].join("\n");
}

/** One line for each value, for rows that are wider than the terminal. */
export function renderExpanded({ columns, rows }: Cells): string {
  const width = Math.max(0, ...columns.map(({ name }) => widthOf(escapeControls(name))));
  const records = rows.map((row, at) => [
    `-[ RECORD ${at + 1} ]${"-".repeat(Math.max(0, width))}`,
    ...columns.flatMap(({ name }, place) =>
      splitLines(row[place] ?? null).map((line, index) => {
        const label = index === 0 ? escapeControls(name) : "";
        return `${label}${" ".repeat(width - widthOf(label))} | ${line}`.trimEnd();
      }),
    ),
  ]);
  return [...records.flat(), `(${rows.length} ${rows.length === 1 ? "row" : "rows"})`, ""].join("\n");
}

function splitLines(value: string | null | undefined): string[] {
  return value === null || value === undefined ? [NULL] : value.split("\n").map(escapeControls);
}

/** A row can contain sequences that change the terminal, so control characters are written out. */
export function escapeControls(text: string): string {
  return text.replaceAll(
    // oxlint-disable-next-line no-control-regex -- control characters are what this is about
    /[\u0000-\u001f\u007f-\u009f]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += INVISIBLE.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}
