import type { UnnamedBody } from "../catalogue/catalogue.ts";
import type { ParsedQuery, ParsedRequest, RawBody } from "../parse/parsed-request.ts";

/** What a request passes to a function. */
export interface CallInput {
  /** Names that must all be parameters; null when only the whole body is passed. */
  readonly names: ReadonlySet<string> | null;
  /** Names of pairs that parse as filters of the result; they are arguments if the function requires them. */
  readonly doubtful: ReadonlySet<string>;
  /** Types of a single unnamed parameter that accept the body. */
  readonly unnamed: readonly UnnamedBody[];
  /** The body is not an object, so an unnamed parameter is preferred. */
  readonly isWhole: boolean;
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

function readPairNames({ args }: ParsedQuery): Pick<CallInput, "names" | "doubtful"> {
  const names = new Set<string>();
  const doubtful = new Set<string>();
  for (const { pair, filter } of args) {
    if (filter === null) names.add(pair[0]);
    else if (filter !== "of an embed") doubtful.add(pair[0]);
  }
  return { names, doubtful };
}
