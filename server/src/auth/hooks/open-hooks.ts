import { createHmac } from "node:crypto";
import { findOutboundFault, type GuardedFetch } from "@swarmbase/guarded-fetch";
import pg from "pg";
import type { Settings } from "../../config/index.ts";
import { isRecord, readJson } from "../../json/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { Clock } from "../../time/index.ts";
import { callHookFunction, type HookFunctionCall } from "../sql/hooks.ts";
import { findHookTarget, HOOK_NAMES, type HookName, type HookTarget } from "./hook-target.ts";
import { type Hook, HookFault, openHook, timedOut, tooLarge } from "./hook.ts";

/** A hook is null when it is not configured. */
export type AuthHooks = Readonly<Record<HookName, Hook | null>>;

export const NO_HOOKS = Object.fromEntries(HOOK_NAMES.map((name) => [name, null])) as Record<HookName, null>;

interface OpenHooksOptions {
  readonly settings: Settings;
  /** Of the service: failures are recorded in it. */
  readonly pool: pg.Pool;
  /** Connections of a login without rights, for functions. */
  openPool(): pg.Pool;
  /** For the addresses of the settings, which the address policy does not concern. */
  openFetch(urls: readonly string[]): GuardedFetch;
  readonly clock: Clock;
  readonly observer: Observer;
}

export function openHooks(options: OpenHooksOptions): { readonly hooks: AuthHooks; close(): Promise<void> } {
  const { settings, pool: db, clock, observer } = options;
  const targets = HOOK_NAMES.map((name) => findHookTarget(settings, name)).filter((target) => target !== null);
  if (targets.length === 0) return { hooks: NO_HOOKS, close: async () => {} };
  const urls = targets.flatMap(({ call }) => (call.kind === "http" ? [call.url] : []));
  const guarded = options.openFetch(urls);
  const pool = options.openPool();
  const callOf = ({ call: called, timeoutMs }: HookTarget) =>
    called.kind === "http"
      ? (id: string, body: string) => callHttpHook(guarded, clock, { ...called, id, body, timeoutMs })
      : (_id: string, event: string) => callFunction(pool, { ...called, event, timeoutMs });
  const hooks: Record<HookName, Hook | null> = { ...NO_HOOKS };
  for (const target of targets) hooks[target.name] = openHook({ target, call: callOf(target), db, clock, observer });
  const close = async (): Promise<void> => void (await Promise.all([guarded.close(), pool.end()]));
  return { hooks, close };
}

const QUERY_CANCELED = "57014";

async function callFunction(pool: pg.Pool, call: Omit<HookFunctionCall, "maxBytes">): Promise<string> {
  const answer = await callHookFunction(pool, { ...call, maxBytes: MAX_ANSWER_BYTES }).catch((error: unknown) => {
    if (error instanceof pg.DatabaseError && error.code !== QUERY_CANCELED)
      throw new HookFault(`SQLSTATE ${error.code}`, { cause: error });
    const isTimeout = error instanceof Error && /timeout/.test(error.message);
    throw error instanceof pg.DatabaseError || isTimeout ? timedOut(error) : error;
  });
  if (answer === null) throw tooLarge();
  return answer;
}

/** More than the claims of the largest token. */
const MAX_ANSWER_BYTES = 98_304;
const JSON_TYPE = "application/json";
const HEADERS = { "content-type": JSON_TYPE, accept: JSON_TYPE, "user-agent": "Swarmbase-Hooks/1" };

type HttpCall = Readonly<{ url: string; keys: readonly Buffer[]; id: string; body: string; timeoutMs: number }>;

/** Returns the text of the answer. A hook can give its decision with any status. */
async function callHttpHook(guarded: GuardedFetch, clock: Clock, called: HttpCall): Promise<string> {
  const { url, body, timeoutMs } = called;
  const signal = AbortSignal.timeout(timeoutMs);
  const headers = { ...HEADERS, ...sign(called, Math.floor(clock.now().getTime() / 1_000)) };
  try {
    const response = await guarded.fetch(url, { method: "POST", headers, body, signal });
    const text = await readBounded(response.body);
    const isJson = /^application\/json\s*(?:;|$)/i.test(response.headers.get("content-type") ?? "");
    if (!response.ok && !(isJson && hasError(text))) throw new HookFault(`status ${response.status}`);
    if (text !== "" && !isJson)
      throw new HookFault("answer not JSON by its content type", { code: "hook_payload_invalid_content_type" });
    return text;
  } catch (error) {
    if (error instanceof HookFault) throw error;
    if (signal.aborted) throw timedOut(error);
    throw new HookFault(findOutboundFault(error).code.replaceAll("_", " "), { cause: error });
  }
}

/** As the Standard Webhooks specification defines it: one signature for each secret. */
function sign({ id, body, keys }: HttpCall, timestampSeconds: number): Record<string, string> {
  const signed = `${id}.${timestampSeconds}.${body}`;
  const signatures = keys.map((key) => `v1,${createHmac("sha256", key).update(signed).digest("base64")}`).join(" ");
  return { "webhook-id": id, "webhook-timestamp": String(timestampSeconds), "webhook-signature": signatures };
}

async function readBounded(body: Awaited<ReturnType<GuardedFetch["fetch"]>>["body"]): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (body === null) return "";
  // Leaving the loop closes the connection.
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function hasError(text: string): boolean {
  const reading = readJson(text);
  return reading.fault === null && isRecord(reading.value) && isRecord(reading.value["error"]);
}
