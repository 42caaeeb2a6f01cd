import type { TextRow } from "@swarmbase/postgres";
import { isKeyUsed, readKeptResult, SELECT_KEPT_RESULT } from "../db/index.ts";
import type { PreparedRequest } from "./prepare-request.ts";
import type { RestCall } from "./rest-call.ts";
import { runDescription, type RunOptions } from "./run-prepared.ts";
import type { RunResult } from "./statement-group.ts";

/** The header of a response that an earlier request with the same key got. */
export const REPLAYED = { "idempotent-replayed": "true" };

/** Whether the transaction was rejected because an earlier request has its key. */
export function isReplay(error: unknown, { writeKey }: RunOptions): boolean {
  return writeKey !== null && isKeyUsed(error);
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
  const rows = readKeptResult(kept.rows[0] ?? []) as readonly TextRow[];
  const { csvHeader } = shape.statements;
  return {
    main: { rows, commandTag: "", rowCount: rows.length },
    estimate: null,
    csvHeader: csvHeader === null ? null : await read(csvHeader.text),
    settings: null,
    isReplay: true,
  };
}
