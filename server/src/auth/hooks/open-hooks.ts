import type { GuardedFetch } from "@swarmbase/guarded-fetch";
import pg from "pg";
import type { Settings } from "../../config/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { Clock } from "../../time/index.ts";
import { callHookFunction } from "../sql/hook-functions.ts";
import { callHttpHook, MAX_ANSWER_BYTES } from "./call-http-hook.ts";
import { type Hook, openHook } from "./hook.ts";
import { HookFault, timedOut, tooLarge } from "./hook-fault.ts";
import { findHookTarget, HOOK_NAMES, type HookName, type HookTarget } from "./hook-target.ts";

/** Null: not configured. */
export type AuthHooks = Readonly<Record<HookName, Hook | null>>;

export const NO_HOOKS: AuthHooks = {
  custom_access_token: null,
  before_user_created: null,
  password_verification_attempt: null,
  mfa_verification_attempt: null,
  send_email: null,
};

export interface OpenHooksOptions {
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

export interface OpenedHooks {
  readonly hooks: AuthHooks;
  close(): Promise<void>;
}

export function openHooks(options: OpenHooksOptions): OpenedHooks {
  const { settings, pool: db, clock, observer } = options;
  const targets = HOOK_NAMES.map((name) => findHookTarget(settings, name)).filter((target) => target !== null);
  if (targets.length === 0) return { hooks: NO_HOOKS, close: async () => {} };
  const urls = targets.flatMap(({ call }) => (call.kind === "http" ? [call.url] : []));
  const guarded = options.openFetch(urls);
  const pool = options.openPool();
  const callOf = ({ call: called, timeoutMs }: HookTarget) =>
    called.kind === "http"
      ? (id: string, body: string) => callHttpHook({ guarded, clock }, { ...called, id, body, timeoutMs })
      : (_id: string, event: string) => callFunction(pool, { ...called, event, timeoutMs });
  const hooks: Record<HookName, Hook | null> = { ...NO_HOOKS };
  for (const target of targets) hooks[target.name] = openHook({ target, call: callOf(target), db, clock, observer });
  return {
    hooks,
    close: async () => {
      await Promise.all([guarded.close(), pool.end()]);
    },
  };
}

const QUERY_CANCELED = "57014";

async function callFunction(
  pool: pg.Pool,
  call: Omit<Parameters<typeof callHookFunction>[1], "maxBytes">,
): Promise<string> {
  const answer = await callHookFunction(pool, { ...call, maxBytes: MAX_ANSWER_BYTES }).catch((error: unknown) => {
    if (error instanceof pg.DatabaseError && error.code !== QUERY_CANCELED)
      throw new HookFault(`SQLSTATE ${error.code}`, { cause: error });
    const isTimeout = error instanceof Error && /timeout/.test(error.message);
    throw error instanceof pg.DatabaseError || isTimeout ? timedOut(error) : error;
  });
  if (answer === null) throw tooLarge();
  return answer;
}
