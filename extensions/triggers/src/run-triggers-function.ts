import { hash, randomBytes } from "node:crypto";
import {
  AppError,
  type ExtensionCaller,
  type ExtensionContext,
  type ExtensionRequest,
  type ExtensionResponse,
  isRecord,
  type JsonRecord,
} from "swarmbase/extension";
import { secretLabel } from "./receive/receive-call.ts";
import { findCall, insertCall } from "./sql/call-row.ts";
import { type LockedTrigger, lockTrigger, storeSecret } from "./sql/trigger-row.ts";
import { startCall } from "./start-call.ts";
import { toKey } from "./verification/read-claim.ts";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Printable, because bearers are headers. */
const SECRET = /^[\x21-\x7e]{16,512}$/;
const MIN_KEY_BYTES = 16;

/** The function `triggers`. */
export function runTriggersFunction(request: ExtensionRequest, context: ExtensionContext): Promise<ExtensionResponse> {
  const body = isRecord(request.body) ? request.body : {};
  switch (body["action"]) {
    case "set_secret":
      return setSecret(body, request.caller, context);
    case "replay":
      return replay(body, request, context);
    default:
      throw invalid({ action: "must be set_secret or replay" });
  }
}

/** Stores the secret that the sender has made, or makes one, which is returned this once. */
async function setSecret(
  { trigger_id, secret: sent = null }: JsonRecord,
  caller: ExtensionCaller,
  { database, requireKeyScope, seal }: ExtensionContext,
): Promise<ExtensionResponse> {
  requireKeyScope(caller, ["run", "write", "share"]);
  const id = readId("trigger_id", trigger_id);
  if (sent !== null && (typeof sent !== "string" || !SECRET.test(sent)))
    throw invalid({ secret: "must be 16 to 512 printable characters without spaces" });
  return database.asService(async (query) => {
    const trigger = requireOwn(await lockTrigger(query, id), caller, "There is no trigger with this id");
    const isStandard = trigger.verification === "standard_webhooks";
    if (sent !== null && isStandard && toKey(sent).length < MIN_KEY_BYTES)
      throw invalid({ secret: "must be whsec_ and base64, as the sender shows it" });
    // What the trigger names is called without an approval.
    if (trigger.allowed_tools.length > 0) requireKeyScope(caller, ["approve"]);
    const secret =
      sent ?? (isStandard ? `whsec_${randomBytes(32).toString("base64")}` : randomBytes(32).toString("hex"));
    const scopes = caller.claims["scopes"];
    await storeSecret(query, id, seal(secretLabel(id), secret), {
      apiKeyId: apiKeyIdOf(caller),
      scopes: Array.isArray(scopes) ? scopes : null,
    });
    return { body: sent === null ? { trigger_id: id, secret } : { trigger_id: id } };
  });
}

/** Starts another run with the payload of a call. It has no more rights than the trigger, and than the key that asks. */
async function replay(
  { call_id }: JsonRecord,
  { caller, headers }: ExtensionRequest,
  context: ExtensionContext,
): Promise<ExtensionResponse> {
  const { database, newId, requireKeyScope } = context;
  requireKeyScope(caller, ["run"]);
  const id = readId("call_id", call_id);
  const answer = await database.asService(async (query) => {
    const call = await findCall(query, id);
    const trigger = requireOwn(
      call && (await lockTrigger(query, call.trigger_id)),
      caller,
      "There is no call with this id",
    );
    const keyId = apiKeyIdOf(caller);
    if (keyId !== null && trigger.api_key_id !== null && trigger.api_key_id !== keyId)
      throw new AppError("FORBIDDEN", "The trigger belongs to another API key");
    if (call === null) throw new Error("a call without a trigger");
    const replayId = headers["idempotency-key"] === undefined ? newId() : toId(`${id} ${headers["idempotency-key"]}`);
    const { event_id, event_type, text, user_id, trigger_id } = call;
    const copy = { id: replayId, trigger_id, user_id, event_id, event_type, text, depth: 0, replays: id };
    if ((await insertCall(query, copy)) !== null) {
      const known = await findCall(query, replayId);
      return { body: { call_id: replayId, run_id: known?.run_id ?? null, swarm_id: known?.swarm_id ?? null } };
    }
    const started = await startCall(context, query, { ...trigger, api_key_id: trigger.api_key_id ?? keyId }, copy);
    if (started.outcome === "started")
      return { body: { call_id: replayId, run_id: started.runId, swarm_id: started.swarmId } };
    const { code, message } = started;
    throw new AppError(code, message, {
      ...(started.outcome === "limited" && { retryAfterSeconds: started.retryAfterSeconds }),
    });
  });
  return answer;
}

/** That of somebody else does not exist for the caller. */
function requireOwn(trigger: LockedTrigger | null, caller: ExtensionCaller, message: string): LockedTrigger {
  if (trigger === null || (caller.role !== "service_role" && trigger.user_id !== caller.userId))
    throw new AppError("NOT_FOUND", message);
  return trigger;
}

function apiKeyIdOf({ claims }: ExtensionCaller): string | null {
  const id = claims["api_key_id"];
  return typeof id === "string" ? id : null;
}

/** The same key makes the same row. */
function toId(key: string): string {
  const digits = hash("sha256", key, "hex");
  return [8, 4, 4, 4, 12].map((length, index) => digits.slice(index * 12, index * 12 + length)).join("-");
}

function readId(name: string, value: unknown): string {
  if (typeof value !== "string" || !UUID.test(value)) throw invalid({ [name]: "must be a UUID" });
  return value.toLowerCase();
}

function invalid(details: Readonly<Record<string, string>>): AppError {
  return new AppError("VALIDATION_ERROR", "The request body is not valid", { details });
}
