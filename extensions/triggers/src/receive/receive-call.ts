import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  AppError,
  type ExtensionContext,
  type ExtensionDatabase,
  type ExtensionRequest,
  type ExtensionResponse,
} from "swarmbase/extension";
import { findTriggers, type FoundTrigger, noteUnverified, skipCall, takeCall } from "../sql/trigger-row.ts";
import type { SignedCall, TriggerScheme } from "../verification/read-claim.ts";
import { isVerified } from "../verification/is-verified.ts";
import { acceptCall } from "./accept-call.ts";
import { decideCall, readCall } from "./read-payload.ts";

/** Between the beginnings of two statements: a storm of calls shares few of them, and a call that comes alone does not wait. */
const GAP_MS = 5;

const WINDOW_MS = 60_000;

/**
 * The calls of triggers on this node. What is beyond the limit here is beyond that of all nodes, so that a storm of calls does not reach the
 * database, but for the first such call, which the owner is shown.
 */
class CallWindows {
  readonly #windows = new Map<string, Window>();

  /** Returns null, or the seconds until calls of the trigger are accepted again. */
  take(id: string, maxCalls: number, nowMs: number): number | null {
    const known = this.#windows.get(id);
    const window = known === undefined || known.endsAtMs <= nowMs ? this.#open(id, nowMs + WINDOW_MS, nowMs) : known;
    window.calls += 1;
    return window.calls <= maxCalls + 1 ? null : Math.ceil((window.endsAtMs - nowMs) / 1_000);
  }

  /** All nodes together have reached the limit. */
  close(id: string, seconds: number, nowMs: number): void {
    this.#open(id, nowMs + seconds * 1_000, nowMs).calls = Number.POSITIVE_INFINITY;
  }

  #open(id: string, endsAtMs: number, nowMs: number): Window {
    const opened = { endsAtMs, calls: 0 };
    this.#windows.delete(id);
    this.#windows.set(id, opened);
    // The first ends first, or soon after.
    for (const [other, { endsAtMs: endMs }] of this.#windows) {
      if (endMs > nowMs) break;
      this.#windows.delete(other);
    }
    return opened;
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NOTE_MS = 60_000;
/** Nobody knows it, so nothing that it signs exists. */
const NO_SECRET = randomBytes(32).toString("hex");
const NO_SCHEME: TriggerScheme = {
  verification: "github",
  signatureHeader: "",
  signatureAlgorithm: "sha256",
  signatureEncoding: "hex",
  signaturePrefix: "",
  replayWindowSeconds: 0,
};

/** What a node remembers of calls. */
interface ReceiverState {
  readonly find: ReturnType<typeof createFindTrigger>;
  readonly windows: CallWindows;
  /** When a call that was not verified was noted last, by trigger. */
  readonly notedAtMs: Map<string, number>;
}

/** A process can have several services. */
const states = new WeakMap<ExtensionContext, ReceiverState>();

function stateOf(context: ExtensionContext): ReceiverState {
  const known = states.get(context);
  if (known !== undefined) return known;
  const state = { find: createFindTrigger(context.database), windows: new CallWindows(), notedAtMs: new Map() };
  states.set(context, state);
  return state;
}

/**
 * Calls of other systems. What is not verified gets the same answer whether the trigger does not exist, is switched off, or expects another
 * signature, and is not stored. What is verified is answered with 202 once it is stored together with its run.
 */
export async function receiveCall(request: ExtensionRequest, context: ExtensionContext): Promise<ExtensionResponse> {
  const id = String(request.params["id"]).toLowerCase();
  const call = toSignedCall(request, context.now());
  const trigger = UUID.test(id) ? await stateOf(context).find(id) : null;
  const wrapped = trigger?.secret_wrapped ?? null;
  const secret = wrapped === null ? NO_SECRET : context.unseal(secretLabel(id), wrapped);
  const isOfSender = isVerified(trigger === null ? NO_SCHEME : toScheme(trigger), secret, call);
  if (trigger === null || wrapped === null || !trigger.enabled || !isOfSender) {
    if (trigger?.enabled === true) noteUnverifiedOnce(trigger.id, context);
    await request.countRejection(id.slice(0, 36));
    throw unverified();
  }
  requireSize(trigger, call.body);
  const scheme = { verification: trigger.verification, eventIdPath: trigger.event_id_path };
  const read = readCall(scheme, call);
  const decision = decideCall(scheme, read);
  if (decision.action === "answer") return { body: decision.body };
  await requireWindow(trigger, context);
  const { id: triggerId, filter } = trigger;
  if (filter !== null && (await context.database.asService((query) => skipCall(query, triggerId, read.text))))
    return { body: { skipped: true } };
  const accepted = await acceptCall(context, trigger, { read, headers: request.headers });
  if (accepted === null) throw unverified();
  return { status: 202, body: accepted };
}

async function requireWindow(trigger: FoundTrigger, context: ExtensionContext): Promise<void> {
  const { id, calls_per_minute: maxCalls } = trigger;
  const { windows } = stateOf(context);
  const nowMs = performance.now();
  const here = windows.take(id, maxCalls, nowMs);
  if (here !== null) throw limited(here);
  const all = await context.database.asService((query) => takeCall(query, id, maxCalls));
  if (all === null) return;
  windows.close(id, all, nowMs);
  throw limited(all);
}

/** Nothing waits for the note: the time of the answer must not tell that the trigger exists. */
function noteUnverifiedOnce(id: string, context: ExtensionContext): void {
  const { notedAtMs } = stateOf(context);
  const nowMs = performance.now();
  for (const [other, notedMs] of notedAtMs) {
    if (notedMs + NOTE_MS > nowMs) break;
    notedAtMs.delete(other);
  }
  if (notedAtMs.has(id)) return;
  notedAtMs.set(id, nowMs);
  context.database
    .asService((query) => noteUnverified(query, id))
    .catch((error: unknown) => context.fail("a call that was not verified is not noted", error));
}

/** Names the row of the secret. */
export function secretLabel(triggerId: string): string {
  return `trigger-secret:${triggerId}`;
}

function toSignedCall({ headers, body }: ExtensionRequest, now: Date): SignedCall {
  return { headers, body: Buffer.isBuffer(body) ? body : Buffer.alloc(0), nowMs: now.getTime() };
}

function toScheme(trigger: FoundTrigger): TriggerScheme {
  return {
    verification: trigger.verification,
    signatureHeader: trigger.signature_header,
    signatureAlgorithm: trigger.signature_algorithm,
    signatureEncoding: trigger.signature_encoding,
    signaturePrefix: trigger.signature_prefix,
    replayWindowSeconds: trigger.replay_window_seconds,
  };
}

function requireSize({ max_payload_bytes: maxBytes }: FoundTrigger, { byteLength }: Buffer): void {
  if (byteLength > maxBytes) throw new AppError("PAYLOAD_TOO_LARGE", `The trigger accepts at most ${maxBytes} bytes`);
}

function unverified(): AppError {
  return new AppError("UNAUTHORIZED", "No trigger that is switched on has this address and accepts this signature");
}

function limited(retryAfterSeconds: number): AppError {
  return new AppError("RATE_LIMITED", "The trigger has had as many calls as it accepts", { retryAfterSeconds });
}

interface Window {
  readonly endsAtMs: number;
  calls: number;
}

type Find = (id: string) => Promise<FoundTrigger | null>;

/**
 * Looks triggers up as they are after the call has come, with one statement at a time: calls that arrive meanwhile share the next one, so
 * that many of them, also of nobody, cost the database few statements.
 */
function createFindTrigger(database: Pick<ExtensionDatabase, "asService">): Find {
  let waiting: PromiseWithResolvers<ReadonlyMap<string, FoundTrigger>> | null = null;
  let ids = new Set<string>();
  let isBusy = false;
  let lastAtMs = Number.NEGATIVE_INFINITY;

  const lookUpAll = async (): Promise<void> => {
    isBusy = true;
    while (waiting !== null) {
      const waitMs = lastAtMs + GAP_MS - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      lastAtMs = performance.now();
      const [batch, wanted] = [waiting, [...ids]];
      [waiting, ids] = [null, new Set()];
      try {
        const rows = await database.asService((query) => findTriggers(query, wanted));
        batch.resolve(new Map(rows.map((row) => [row.id, row])));
      } catch (error) {
        batch.reject(error);
      }
    }
    isBusy = false;
  };

  return async (id) => {
    ids.add(id);
    waiting ??= Promise.withResolvers();
    const { promise } = waiting;
    if (!isBusy) void lookUpAll();
    return (await promise).get(id) ?? null;
  };
}
