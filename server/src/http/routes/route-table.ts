import { AppError } from "../../errors/index.ts";
import type { Route } from "../route.ts";

type RoutePath = Pick<Route, "method" | "path" | "isHeadRejected">;

interface Node<Row> {
  readonly byName: Map<string, Node<Row>>;
  /** Below any one segment. */
  parameter: Node<Row> | null;
  /** Of paths that end here, by method. */
  readonly rows: Map<string, Row>;
  /** Of paths that end with `*` here. */
  readonly openRows: Map<string, Row>;
}

interface Match<Row> {
  readonly row: Row;
  readonly params: Readonly<Record<string, string>>;
}

const PARAMETER_LENGTH = 2_048;

/** Finds the row of a request. A name precedes a parameter, which precedes `*`. */
export class RouteTable<Row extends RoutePath> {
  readonly #root: Node<Row> = newNode();
  readonly #parameters = new Map<Row, readonly Parameter[]>();

  constructor(rows: readonly Row[]) {
    for (const row of rows) this.#add(row);
    for (const row of rows) if (row.method === "GET" && row.isHeadRejected !== true) this.#addHead(row);
  }

  #add(row: Row): void {
    const rows = this.#rowsOf(row);
    if (rows.has(row.method)) throw new Error(`Route ${row.method} ${row.path} is declared twice`);
    rows.set(row.method, row);
    this.#parameters.set(row, parametersOf(row.path));
  }

  #addHead(row: Row): void {
    const rows = this.#rowsOf(row);
    if (!rows.has("HEAD")) rows.set("HEAD", row);
  }

  #rowsOf({ path }: Row): Map<string, Row> {
    let node = this.#root;
    for (const segment of path.split("/").slice(1)) {
      if (segment === "*") return node.openRows;
      if (segment.startsWith(":")) {
        node = node.parameter ??= newNode();
        continue;
      }
      const next = node.byName.get(segment) ?? newNode();
      node.byName.set(segment, next);
      node = next;
    }
    return node.rows;
  }

  /** Throws when the path is malformed. */
  find(method: string, path: string): Match<Row> | null {
    const segments = segmentsOf(path);
    let row: Row | undefined;
    visit(this.#root, segments, 1, (rows) => {
      row = rows.get(method);
      return row !== undefined;
    });
    return row === undefined ? null : { row, params: paramsOf(this.#parameters.get(row) ?? [], segments) };
  }

  /** The methods of a path for the `Allow` header; an empty list means 404. */
  allowedMethods(path: string): string[] {
    const methods = new Set<string>();
    visit(this.#root, segmentsOf(path), 1, (rows) => {
      for (const method of rows.keys()) methods.add(method);
      return false;
    });
    if (methods.size > 0) methods.add("OPTIONS");
    return [...methods].sort();
  }
}

function newNode<Row>(): Node<Row> {
  return { byName: new Map(), parameter: null, rows: new Map(), openRows: new Map() };
}

/** Calls `isFound` with the rows of every pattern that matches, until it returns true. */
function visit<Row>(
  { byName, parameter, rows, openRows }: Node<Row>,
  segments: readonly string[],
  at: number,
  isFound: (rows: ReadonlyMap<string, Row>) => boolean,
): boolean {
  const segment = segments[at];
  if (segment === undefined) return isFound(rows);
  const named = byName.get(segment);
  if (named !== undefined && visit(named, segments, at + 1, isFound)) return true;
  const isValue = parameter !== null && segment !== "" && segment.length <= PARAMETER_LENGTH;
  return (isValue && visit(parameter, segments, at + 1, isFound)) || isFound(openRows);
}

function segmentsOf(path: string): string[] {
  const segments = path.split("/");
  if (!path.includes("%")) return segments;
  try {
    return segments.map(decodeURIComponent);
  } catch {
    throw new AppError("BAD_REQUEST", "The path is not validly percent-encoded");
  }
}

interface Parameter {
  readonly name: string;
  readonly index: number;
}

function parametersOf(pattern: string): Parameter[] {
  const named = pattern.split("/").map((segment, index) => ({ name: segment.replace(/^:/, ""), segment, index }));
  return named.filter(({ name, segment }) => name !== segment || segment === "*");
}

function paramsOf(parameters: readonly Parameter[], segments: readonly string[]): Record<string, string> {
  const params = Object.create(null) as Record<string, string>;
  for (const { name, index } of parameters)
    params[name] = (name === "*" ? segments.slice(index).join("/") : segments[index]) ?? "";
  return params;
}
