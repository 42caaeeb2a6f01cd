import { buildResultColumn, type ColumnSet } from "./build-columns.ts";
import { buildFunctionSettings } from "./build-settings.ts";
import type { TypeEntry } from "./build-types.ts";
import type { Column, FunctionEntry, FunctionResult, Parameter, UnnamedBody } from "./catalogue.ts";
import type { FunctionRow } from "./sql/select-catalogue.ts";

/** A function, and the relation whose row is its only parameter. */
export interface BuiltFunction {
  readonly entry: FunctionEntry;
  readonly rowRelation: number | null;
  /** Whether parameters can be passed by name, or the whole body as the only parameter. */
  readonly isCallable: boolean;
}

const VOLATILITIES = { i: "immutable", s: "stable", v: "volatile" } as const;
const UNNAMED_BODIES: readonly UnnamedBody[] = ["json", "jsonb", "text", "bytea", "xml"];

interface Argument {
  readonly name: string;
  readonly mode: "i" | "o" | "b" | "v" | "t";
  readonly entry: TypeEntry;
}

export function buildFunctions(
  rows: readonly FunctionRow[],
  types: ReadonlyMap<number, TypeEntry>,
  columns: ReadonlyMap<number, ColumnSet>,
): BuiltFunction[] {
  return rows.flatMap((row) => {
    const args = readArguments(row, types);
    const returned = types.get(row.returns);
    if (args === null || returned === undefined) return [];
    const inputs = args.filter(({ mode }) => mode !== "o" && mode !== "t");
    const [only] = inputs;
    const unnamedBody = inputs.length === 1 && only?.name === "" ? findUnnamedBody(only.entry) : null;
    const entry: FunctionEntry = {
      schema: row.schema,
      name: row.name,
      parameters: inputs.map((input, place) => buildParameter(input, place < inputs.length - row.defaults)),
      hasVariadic: inputs.some(({ mode }) => mode === "v"),
      unnamedBody,
      returns: { isSet: row.isSet, type: returned.type, ...buildResult(args, returned, columns) },
      volatility: VOLATILITIES[row.volatility],
      rows: row.rows,
      settings: buildFunctionSettings(row.settings),
      isForUsers: row.isForUsers,
      comment: row.comment,
    };
    const isCallable = unnamedBody !== null || inputs.every(({ name }) => name !== "");
    const isRowFunction = inputs.length === 1 && only !== undefined && only.entry.root.relation !== 0;
    return [{ entry, rowRelation: isRowFunction ? only.entry.root.relation : null, isCallable }];
  });
}

function readArguments(row: FunctionRow, types: ReadonlyMap<number, TypeEntry>): Argument[] | null {
  const args = row.types.flatMap((oid, place) => {
    const entry = types.get(oid);
    if (entry === undefined) return [];
    return [{ name: row.names?.[place] ?? "", mode: row.modes?.[place] ?? ("i" as const), entry }];
  });
  return args.length === row.types.length ? args : null;
}

function buildParameter({ name, mode, entry }: Argument, isRequired: boolean): Parameter {
  return { name, type: entry.type, isRequired, isVariadic: mode === "v" };
}

function findUnnamedBody({ root, type }: TypeEntry): UnnamedBody | null {
  if (type.isDomain || !root.isBuiltIn) return null;
  return UNNAMED_BODIES.find((name) => name === root.plainName) ?? null;
}

function buildResult(
  args: readonly Argument[],
  { type, root }: TypeEntry,
  columns: ReadonlyMap<number, ColumnSet>,
): Pick<FunctionResult, "kind" | "rowOf" | "columns"> {
  const outputs = args.filter(({ mode }) => mode !== "i" && mode !== "v");
  if (outputs.length > 0) return { kind: "composite", rowOf: null, columns: nameOutputs(outputs) };
  if (type.category !== "composite") {
    return { kind: type.category === "void" ? "void" : "scalar", rowOf: null, columns: null };
  }
  return { kind: "composite", rowOf: type.rowOf, columns: columns.get(root.relation)?.byName ?? null };
}

/** PostgreSQL names an unnamed output by its position. */
function nameOutputs(outputs: readonly Argument[]): Map<string, Column> {
  return new Map(
    outputs.map(({ name, entry }, place) => {
      const shown = name === "" ? `column${place + 1}` : name;
      return [shown, buildResultColumn(shown, entry)];
    }),
  );
}
