import { CALLERS, type Caller } from "./callers.ts";

const CELLS: ReadonlySet<string> = new Set(["yes", "-", "no", "none", "never"]);

export interface MatrixLine {
  readonly table: string;
  readonly operation: string;
  readonly cells: Readonly<Record<Caller, string>>;
}

/** The lines of the written matrix, by table. A line that could be misread is an error. */
export function readMatrix(text: string): ReadonlyMap<string, readonly MatrixLine[]> {
  const [heading = "", ...written] = text.split("\n").filter((line) => line.trim() !== "");
  const columns = splitLine(heading).cells;
  if (columns.join() !== CALLERS.join()) throw new Error(`the matrix must have the columns ${CALLERS.join(" ")}`);
  const lines = written.map(readLine);
  const seen = new Set<string>();
  for (const { table, operation } of lines) {
    if (seen.has(`${table} ${operation}`)) throw new Error(`${table} | ${operation} stands in the matrix twice`);
    seen.add(`${table} ${operation}`);
  }
  return Map.groupBy(lines, ({ table }) => table);
}

function readLine(line: string): MatrixLine {
  const { table, operation, cells } = splitLine(line);
  if (cells.length !== CALLERS.length || cells.some((cell) => !CELLS.has(cell))) {
    throw new Error(`every caller needs one of ${[...CELLS].join(", ")} in this line of the matrix: ${line}`);
  }
  return {
    table,
    operation,
    cells: Object.fromEntries(CALLERS.map((caller, place) => [caller, cells[place]])) as Record<Caller, string>,
  };
}

function splitLine(line: string): { table: string; operation: string; cells: string[] } {
  const [table = "", operation = "", cells = ""] = line.split("|").map((part) => part.trim());
  return { table, operation, cells: cells.split(/\s+/) };
}
