import { AppError } from "../errors/index.ts";
import { applyRules } from "./apply-rules.ts";
import { attemptOf } from "./attempt.ts";
import { inOperation } from "./operation-errors.ts";
import { parseRequest } from "./parse/parse-request.ts";
import type { ParsedRequest } from "./parse/parsed-request.ts";
import { readMethodOverride } from "./parse/read-method-override.ts";
import { QueryCost } from "./query-cost.ts";
import { requirePortalTarget } from "./require-foreign-scopes.ts";
import type { RestCall } from "./rest-call.ts";
import type { RestOptions } from "./rest-options.ts";
import type { ReadAttempt, WriteAttempt } from "./table-rules.ts";

/** A parsed request that has passed the rules of its table. */
export interface ParsedCall {
  /** With the method that was meant. */
  readonly call: RestCall;
  readonly request: ParsedRequest;
  readonly attempt: ReadAttempt | WriteAttempt | null;
}

/** Parses the requests of one transaction. All of them together may cost what one request may. */
export function parseCalls(
  [first, ...others]: readonly [RestCall, ...RestCall[]],
  isBatch: boolean,
  options: RestOptions,
): readonly [ParsedCall, ...ParsedCall[]] {
  const cost = new QueryCost(options.settings);
  if (!isBatch) return [parseCall(first, cost, options)];
  const parse = (call: RestCall, index: number): ParsedCall =>
    inOperation(index, () => parseOperation(call, cost, options));
  return [parse(first, 0), ...others.map((call, index) => parse(call, index + 1))];
}

/** Whether the request asks what there is, not for rows. */
export function isDescription({ method, target }: ParsedRequest): boolean {
  return method === "OPTIONS" || target.kind === "root";
}

function parseCall(call: RestCall, cost: QueryCost, options: RestOptions): ParsedCall {
  const input = readMethodOverride(call.input);
  const request = parseRequest(input, { schemas: options.settings.dbSchemas });
  requirePortalTarget(call, request, options.isOfPortal);
  cost.add(request.query.select);
  const attempt = attemptOf(request, call.principal);
  return { call: { ...call, input }, request: applyRules(request, attempt, options), attempt };
}

/** One request of a batch. */
function parseOperation(call: RestCall, cost: QueryCost, options: RestOptions): ParsedCall {
  const parsed = parseCall(call, cost, options);
  const { method, target } = parsed.request;
  if (isDescription(parsed.request)) {
    throw new AppError("BAD_REQUEST", "A batch is made of reads and writes of tables and of calls of functions");
  }
  if (target.kind === "rpc" && method !== "POST") {
    throw new AppError("BAD_REQUEST", "In a batch a function is called by POST: the transaction is not read-only");
  }
  return parsed;
}
