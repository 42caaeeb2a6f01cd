import { AppError } from "../errors/index.ts";
import type { SelectItem } from "./parse/parsed-request.ts";

/** Fields that a request can select more than once, in all. Repeating a large value makes rows of any size. */
const MAX_REPEATED_FIELDS = 20;

interface CostLimits {
  readonly dbMaxEmbedDepth: number;
  readonly dbMaxEmbeds: number;
}

/** Counts what the requests of one call select. Throws when it is more than the limits allow. */
export class QueryCost {
  readonly #limits: CostLimits;
  #embeds = 0;
  #repeated = 0;

  constructor(limits: CostLimits) {
    this.#limits = limits;
  }

  add(select: readonly SelectItem[]): void {
    this.#addNode(select, 0);
  }

  #addNode(select: readonly SelectItem[], depth: number): void {
    if (select.length > 1) this.#addRepeated(select);
    for (const item of select) {
      if (item.kind !== "embed") continue;
      const { dbMaxEmbeds, dbMaxEmbedDepth } = this.#limits;
      this.#embeds += 1;
      if (this.#embeds > dbMaxEmbeds) throw tooComplexError(`more than ${dbMaxEmbeds} tables are embedded`);
      if (depth === dbMaxEmbedDepth) throw tooComplexError(`tables are embedded more than ${dbMaxEmbedDepth} deep`);
      this.#addNode(item.select, depth + 1);
    }
  }

  #addRepeated(select: readonly SelectItem[]): void {
    const fields = new Set<string>();
    let count = 0;
    for (const item of select) {
      if (item.kind !== "column" || item.aggregate !== null) continue;
      count += 1;
      const { name, path } = item.field;
      fields.add(path.length === 0 ? name : JSON.stringify(item.field));
    }
    this.#repeated += count - fields.size;
    if (this.#repeated > MAX_REPEATED_FIELDS)
      throw tooComplexError(`more than ${MAX_REPEATED_FIELDS} columns are selected again`);
  }
}

function tooComplexError(reason: string): AppError {
  return new AppError("QUERY_TOO_COMPLEX", `The query is too complex: ${reason}`, {
    hint: "Split the query into several requests.",
  });
}
