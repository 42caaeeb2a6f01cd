import { isWriteAttempt } from "./attempt.ts";
import { isWithoutEffect } from "./plan/write-columns.ts";
import type { PreparedRequest } from "./prepare-request.ts";
import type { ReadAttempt, WriteAttempt } from "./table-rules.ts";

/** One row was addressed and none was found. An update without effect never finds one. */
export function isMissed(
  attempt: ReadAttempt | WriteAttempt,
  { media, shape: { plan } }: PreparedRequest,
  rows: number,
): boolean {
  if (rows !== 0) return false;
  if (!isWriteAttempt(attempt)) return media.body.kind === "object";
  return attempt.pinnedId !== null && !(plan.kind === "write" && isWithoutEffect(plan.write));
}
