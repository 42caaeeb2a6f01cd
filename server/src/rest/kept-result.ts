import type { TextRow } from "@swarmbase/postgres";
import pg from "pg";
import { AppError } from "../errors/index.ts";
import type { PreparedRequest } from "./prepare-request.ts";
import type { RestCall } from "./rest-call.ts";
import { runDescription, type RunOptions } from "./run-prepared.ts";
import type { RunResult } from "./statement-group.ts";
import { SELECT_KEPT_RESULT } from "./sql/transaction-settings.ts";

/** The header of a response that an earlier request with the same key got. */
export const REPLAYED = { "idempotent-replayed": "true" };

/** SQLSTATE of `private.claim_idempotency_key`. */
const KEY_USED = "SB208";

/** Whether a transaction was rejected because an earlier request has its key. */
export function isKeyUsed(error: unknown, { writeKey }: RunOptions): boolean {
  return writeKey !== null && error instanceof pg.DatabaseError && error.code === KEY_USED;
}

/** Throws when the earlier request was a different one. */
export async function loadKeptResult(
  { shape }: PreparedRequest,
  call: RestCall,
  { writeKey, ...options }: RunOptions,
): Promise<RunResult> {
  const read = (text: string, values: readonly string[] = []) =>
    runDescription(text, values, call, { ...options, writeKey: null });
  const kept = await read(SELECT_KEPT_RESULT, writeKey === null ? [] : [writeKey.key, writeKey.requestHash]);
  const [isSame = null, result = null] = kept.rows[0] ?? [];
  // It was deleted at the end of its day, after this request had found it in use.
  if (isSame === null)
    throw new AppError("SERVICE_UNAVAILABLE", "The Idempotency-Key has just expired", { retryAfterSeconds: 1 });
  if (isSame !== "t")
    throw new AppError("IDEMPOTENCY_KEY_REUSED", "The Idempotency-Key was used before with a different request");
  const rows = JSON.parse(result ?? "[]") as readonly TextRow[];
  const { csvHeader } = shape.statements;
  return {
    main: { rows, commandTag: "", rowCount: rows.length },
    estimate: null,
    csvHeader: csvHeader === null ? null : await read(csvHeader.text),
    settings: null,
    isReplay: true,
  };
}
