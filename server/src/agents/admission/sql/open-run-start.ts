import type { ApiKeyResources, ApiKeyScope } from "@swarmbase/sdk";
import type { Queryable } from "../../../db/index.ts";
import { callValue } from "../../rejections/call-function.ts";

/** The key with which an extension starts a run; each starts one. */
export interface RunStartKey {
  readonly extension: string;
  readonly key: string;
}

/** For whom a run is started; with an API key, only with its rights. */
export interface RunStarter {
  readonly userId: string;
  readonly apiKeyId: string | null;
}

export interface StarterKey {
  readonly id: string;
  readonly scopes: readonly ApiKeyScope[];
  readonly resources: ApiKeyResources | null;
}

/** Locks the key until the end of the transaction. Returns the run that it has started, or the rights of the starter; null means that there are none. */
export function openRunStart(
  transaction: Queryable,
  { extension, key }: RunStartKey,
  { userId, apiKeyId }: RunStarter,
): Promise<{ readonly run_id: string; readonly swarm_id: string } | { readonly api_key: StarterKey | null } | null> {
  return callValue(transaction, {
    name: "respond-open-start",
    text: "select private.open_run_start($1, $2, $3::uuid, $4::uuid) as value",
    values: [extension, key, userId, apiKeyId],
  });
}

/** Before the run starts: its message has data of an outside sender. */
export async function markOutsideSender(
  transaction: Queryable,
  runId: string,
  { startedBy, allowedTools }: { readonly startedBy: string; readonly allowedTools: readonly string[] },
): Promise<void> {
  await callValue(transaction, {
    name: "respond-mark-outside",
    text: "select private.mark_outside_sender($1::uuid, $2, $3::text[]) as value",
    values: [runId, startedBy, allowedTools],
  });
}

/** Returns the swarm of the run. */
export function recordRunStart(
  transaction: Queryable,
  { extension, key }: RunStartKey,
  runId: string,
): Promise<string> {
  return callValue(transaction, {
    name: "respond-record-start",
    text: "select private.record_run_start($1, $2, $3::uuid) as value",
    values: [extension, key, runId],
  });
}
