import type pg from "pg";
import { apiKeyIdOf, type Principal, readsAll } from "../../../db/index.ts";
import { createRejection, DECIDE_STATEMENT, SIGNAL_STATEMENT, SUBMIT_STATEMENT } from "../../rejections/rejections.ts";
import type { RunBody } from "../../streams/run-body.ts";
import { callRows, callValue } from "../../rejections/call-function.ts";
import type { IdempotencyKey } from "../../admission/to-admission-call.ts";

type User = Pick<Principal, "role" | "userId">;

/** The run as the user may see it. Null when the run does not exist. */
export function selectRunBody(pool: pg.Pool, runId: string, { role, userId }: User): Promise<RunBody | null> {
  return callValue(pool, {
    name: "respond-body",
    text: "select private.render_run($1::uuid, $2::uuid, $3::boolean) as value",
    values: [runId, userId, role === "service_role"],
  });
}

/** Throws when the principal is an API key that may not see the run. */
export async function requireKeyRun(pool: pg.Pool, runId: string, principal: Principal): Promise<void> {
  if (readsAll(principal)) return;
  const [seen] = await callRows<{ value: boolean }>(pool, {
    name: "respond-key-run",
    text: "select private.may_key_see_run($1::uuid, r.id, r.swarm_id) as value from public.runs r where r.id = $2::uuid",
    values: [apiKeyIdOf(principal), runId],
  });
  if (seen?.value !== true) throw createRejection("RUN_NOT_FOUND");
}

export function cancelRun(pool: pg.Pool, runId: string, { role, userId }: User): Promise<RunBody> {
  return callValue(pool, {
    name: "respond-cancel",
    text: "select private.cancel_run($1::uuid, $2::uuid, $3::boolean) as value",
    values: [runId, userId, role === "service_role"],
  });
}

/** Needs no permission: the client requested this when it started the run. */
export async function requestCancel(pool: pg.Pool, runId: string, reason: "disconnected"): Promise<void> {
  await callRows(pool, {
    name: "respond-request-cancel",
    text: "select private.request_cancel($1::uuid, $2::text)",
    values: [runId, reason],
  });
}

export interface ToolDecision {
  readonly tool_execution_id: string;
  readonly approved: boolean;
  readonly reason?: string | undefined;
  /** The answer to a question of the tool. */
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

export function decideToolExecutions(
  pool: pg.Pool,
  runId: string,
  { role, userId }: User,
  decisions: readonly ToolDecision[],
): Promise<RunBody> {
  const call = { run_id: runId, user_id: userId, is_service: role === "service_role", decisions };
  return callValue(pool, {
    name: DECIDE_STATEMENT,
    text: "select private.decide_tool_executions($1::jsonb) as value",
    values: [JSON.stringify(call)],
  });
}

export interface ToolResult {
  readonly tool_execution_id: string;
  /** The text that the model reads; absent when the tool failed. */
  readonly output?: string;
  readonly error?: string;
}

export function submitToolResults(
  pool: pg.Pool,
  runId: string,
  { role, userId }: User,
  results: readonly ToolResult[],
): Promise<RunBody> {
  const call = { run_id: runId, user_id: userId, is_service: role === "service_role", results };
  return callValue(pool, {
    name: SUBMIT_STATEMENT,
    text: "select private.submit_tool_results($1::jsonb) as value",
    values: [JSON.stringify(call)],
  });
}

export interface RunSignal {
  readonly name: string;
  readonly data: unknown;
  /** With a key, a signal that is sent again has no further effect. */
  readonly key: IdempotencyKey | null;
}

export function signalRun(
  pool: pg.Pool,
  runId: string,
  { role, userId }: User,
  { name, data, key }: RunSignal,
): Promise<RunBody> {
  const call = { run_id: runId, user_id: userId, is_service: role === "service_role", name, data, ...key };
  return callValue(pool, {
    name: SIGNAL_STATEMENT,
    text: "select private.signal_run($1::jsonb) as value",
    values: [JSON.stringify(call)],
  });
}
