import type { ParsedRequest } from "../parse/parsed-request.ts";
import type { Plan } from "../plan/plan.ts";

interface AppliedOptions {
  /** `Prefer: tx` is honoured. */
  readonly isTxHonoured: boolean;
  /** The count stopped at the count cap. */
  readonly isCountCapped: boolean;
}

/** The preferences that were applied; null when there are none. */
export function formatPreferenceApplied(
  request: ParsedRequest,
  plan: Plan,
  { isTxHonoured, isCountCapped }: AppliedOptions,
): string | null {
  const { method, preferences } = request;
  const isWrite = plan.kind === "write";
  const canMissColumns = isWrite && (method === "POST" || method === "PATCH");
  const canExceed = plan.kind === "call" || method === "PATCH" || method === "DELETE";
  const isBounded = canExceed && preferences.handling === "strict";
  const applied = [
    ["resolution", isUpsert(request, plan) ? preferences.resolution : null],
    ["missing", canMissColumns ? preferences.missing : null],
    ["return", isWrite || isQuietCall(request, plan) ? preferences.return : null],
    ["count", isCountCapped ? "capped" : preferences.count],
    ["tx", isTxHonoured ? preferences.tx : null],
    ["handling", preferences.handling],
    ["timezone", preferences.timezone],
    ["max-affected", isBounded ? preferences.maxAffected : null],
  ] as const;
  let text = "";
  for (const [name, value] of applied) {
    if (value !== null) text += `${text === "" ? "" : ", "}${name}=${value}`;
  }
  return text === "" ? null : text;
}

/** A call supports only `return=minimal`. */
function isQuietCall({ preferences }: ParsedRequest, plan: Plan): boolean {
  return plan.kind === "call" && preferences.return === "minimal";
}

/** Without a key there are no duplicates. */
function isUpsert({ method }: ParsedRequest, plan: Plan): boolean {
  if (method !== "POST" || plan.kind !== "write") return false;
  return plan.write.kind === "insert" && plan.write.conflict !== null;
}
