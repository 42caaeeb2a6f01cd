import { hash } from "node:crypto";
import {
  AppError,
  type ExtensionContext,
  type ExtensionRequest,
  type ExtensionResponse,
  isRecord,
} from "swarmbase/extension";
import { changeSchedule, lockSchedule } from "./sql/schedule-row.ts";
import { note } from "./worker/change-of.ts";
import { toRunStart } from "./worker/start-due.ts";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Starts a run of a schedule at once, beside its times. It has no more rights than the schedule, and than the key that asks. */
export async function runNow(
  { body, caller, headers }: ExtensionRequest,
  context: ExtensionContext,
): Promise<ExtensionResponse> {
  const { database, startRun, newId } = context;
  const id = readScheduleId(body);
  const idempotencyKey = headers["idempotency-key"] ?? newId();
  const callerKeyId = caller.claims["api_key_id"];
  const answer = await database.asService(async (query) => {
    const row = await lockSchedule(query, id, true);
    // That of somebody else does not exist for the caller.
    if (row === null || (caller.role !== "service_role" && row.user_id !== caller.userId))
      throw new AppError("NOT_FOUND", "There is no schedule with this id");
    if (typeof callerKeyId === "string" && row.api_key_id !== null && row.api_key_id !== callerKeyId)
      throw new AppError("FORBIDDEN", "The schedule belongs to another API key");
    const start = toRunStart(row);
    const apiKeyId = row.api_key_id ?? (typeof callerKeyId === "string" ? callerKeyId : null);
    const key = `${id} now ${hash("sha256", idempotencyKey, "hex")}`;
    const started = await startRun(row.user_id, { ...start, apiKeyId }, key, query);
    if (started.outcome !== "started" || started.isRepeated) return started;
    const { runId: run_id, swarmId: swarm_id } = started;
    const outcome = { due_at: null, at: row.now.toISOString(), outcome: "started", run_id, swarm_id };
    await changeSchedule(query, id, { ...note(row, outcome), open_run_id: row.open_run_id ?? run_id });
    return started;
  });
  if (answer.outcome === "started") return { body: { run_id: answer.runId, swarm_id: answer.swarmId } };
  const { code, message } = answer;
  throw new AppError(code, message, {
    ...(answer.outcome === "limited" && { retryAfterSeconds: answer.retryAfterSeconds }),
  });
}

function readScheduleId(body: unknown): string {
  const { action, schedule_id: id } = isRecord(body) ? body : {};
  const details = {
    ...(action !== "run_now" && { action: "must be run_now" }),
    ...((typeof id !== "string" || !UUID.test(id)) && { schedule_id: "must be a UUID" }),
  };
  if (Object.keys(details).length > 0)
    throw new AppError("VALIDATION_ERROR", "The request body is not valid", { details });
  return String(id).toLowerCase();
}
