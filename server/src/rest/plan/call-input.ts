import { AppError } from "../../errors/index.ts";
import type { UnnamedBody } from "../catalogue/catalogue.ts";
import { type PlacedFilter, parseFilter } from "../parse/filter.ts";
import type { FilterCondition, ParsedQuery, ParsedRequest, RawBody } from "../parse/parsed-request.ts";

export type ArgumentPair = readonly [name: string, value: string];

/** What a request can give to a function. */
export interface CallInput {
  /** Names that must all be parameters; null when only the body as a whole can be given. */
  readonly names: ReadonlySet<string> | null;
  /** Names of pairs that read as filters of the result, but are arguments of a function that cannot do without them. */
  readonly doubtful: ReadonlySet<string>;
  /** Types of a single unnamed parameter that could take the body. */
  readonly unnamed: readonly UnnamedBody[];
  /** The body is no object, so an unnamed parameter is what it is most likely meant for. */
  readonly isWhole: boolean;
}

/** A pair of the query of a GET, and the condition that it stands for when it is read as a filter. */
export interface ReadPair {
  readonly pair: ArgumentPair;
  readonly filter: FilterCondition | "of an embed" | null;
}

const NO_NAMES: ReadonlySet<string> = new Set();

const RAW_TYPES = {
  "text/plain": "text",
  "text/xml": "xml",
  "application/octet-stream": "bytea",
} as const satisfies Record<RawBody["type"], UnnamedBody>;

export function readCallInput({ query, body }: ParsedRequest): CallInput {
  const named = { doubtful: NO_NAMES, unnamed: [], isWhole: false };
  switch (body.kind) {
    case "none":
      return { ...named, ...readPairNames(query) };
    case "rows": {
      const unnamed: readonly UnnamedBody[] = body.source === "json" ? ["json", "jsonb"] : [];
      return { ...named, names: new Set(query.columns ?? body.keys), unnamed };
    }
    case "json":
      return { ...named, names: NO_NAMES, unnamed: ["json", "jsonb"], isWhole: true };
    case "form":
      return { ...named, names: new Set(body.pairs.map(([name]) => name)) };
    case "raw":
      return { ...named, names: null, unnamed: [RAW_TYPES[body.type]], isWhole: true };
  }
}

function readPairNames(query: ParsedQuery): Pick<CallInput, "names" | "doubtful"> {
  const names = new Set<string>();
  const doubtful = new Set<string>();
  for (const { pair, filter } of readPairs(query)) {
    if (filter === null) names.add(pair[0]);
    else if (filter !== "of an embed") doubtful.add(pair[0]);
  }
  return { names, doubtful };
}

/** Each pair that reads as a filter stands among the conditions too, in the same order. */
export function readPairs({ args, root }: ParsedQuery): ReadPair[] {
  const filters = root.conditions.filter((condition) => condition.kind === "filter");
  let at = 0;
  return args.map((pair) => {
    const placed = tryFilter(pair);
    if (placed === null) return { pair, filter: null };
    if (placed.path.length > 0) return { pair, filter: "of an embed" };
    const filter = filters[at];
    // Where a pair was settled to be an argument, its condition is gone.
    if (filter === undefined || !isSame(filter, placed.filter)) return { pair, filter: null };
    at += 1;
    return { pair, filter };
  });
}

function tryFilter([name, value]: ArgumentPair): PlacedFilter | null {
  if (!value.includes(".")) return null;
  try {
    return parseFilter(name, value);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

function isSame(one: FilterCondition, other: FilterCondition): boolean {
  return (
    one.field.name === other.field.name &&
    one.operation.operator === other.operation.operator &&
    one.operation.isNegated === other.operation.isNegated &&
    String(one.operation.value) === String(other.operation.value)
  );
}
