import assert from "node:assert/strict";
import { AppError } from "../../../src/errors/index.ts";
import { parseRequest, type RequestInput } from "../../../src/rest/index.ts";
import type {
  ColumnItem,
  EmbedItem,
  FieldPath,
  FilterCondition,
  JsonStep,
  Operation,
  ParsedQuery,
  ParsedRequest,
} from "../../../src/rest/parse/parsed-request.ts";

const SCHEMAS = ["public", "other"];

export function parse(input: Partial<RequestInput>): ParsedRequest {
  const usual = { method: "GET", path: "/things", search: "", headers: {}, body: null, contentType: null };
  return parseRequest({ ...usual, ...input }, { schemas: SCHEMAS });
}

/** A query from names and values that still have to be encoded. */
export function parseParameters(...pairs: readonly (readonly [string, string])[]): ParsedQuery {
  return parse({ search: encodePairs(pairs) }).query;
}

export function encodePairs(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
}

export function parseBytes(body: string | Buffer, contentType: string | null, input: Partial<RequestInput> = {}) {
  return parse({ method: "POST", body: Buffer.from(body), contentType, ...input }).body;
}

export interface Rejection {
  readonly code: string | undefined;
  readonly status: number;
  readonly message: string;
  readonly details: unknown;
}

export function rejectionOf(act: () => unknown): Rejection {
  try {
    const result = act();
    return assert.fail(`was taken: ${JSON.stringify(result)}`);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { status, message, extra } = error;
    return { code: extra.foreign?.code, status, message, details: extra.details ?? null };
  }
}

export function field(name: string, ...path: readonly JsonStep[]): FieldPath {
  return { name, path };
}

export function arrow(key: string | number): JsonStep {
  return { kind: "->", key };
}

export function textArrow(key: string | number): JsonStep {
  return { kind: "->>", key };
}

export function column(name: string | FieldPath, rest: Partial<ColumnItem> = {}): ColumnItem {
  const usual = { alias: null, cast: null, aggregate: null, aggregateCast: null };
  return { kind: "column", field: typeof name === "string" ? field(name) : name, ...usual, ...rest };
}

export function embed(relation: string, select: EmbedItem["select"], rest: Partial<EmbedItem> = {}): EmbedItem {
  return { kind: "embed", relation, alias: null, hint: null, join: "left", select, isSpread: false, ...rest };
}

export function operation(
  operator: Operation["operator"],
  value: Operation["value"],
  rest: Partial<Operation> = {},
): Operation {
  return { operator, isNegated: false, quantifier: null, value, config: null, ...rest };
}

export function filter(name: string | FieldPath, does: Operation): FilterCondition {
  return { kind: "filter", field: typeof name === "string" ? field(name) : name, operation: does };
}

export const STAR = { kind: "star" } as const;
