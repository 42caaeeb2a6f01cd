import { createBatcher } from "@swarmbase/concurrency";
import { LRUCache } from "lru-cache";
import type { Principal } from "../../db/index.ts";
import { activeTraceparent } from "../../observe/index.ts";
import { type CallerPorts, runAsCaller } from "../run-as-caller.ts";
import { EMIT_EVENTS, type EmitAnswer } from "../sql/app-events.ts";

interface EmitBatchCall {
  readonly principal: Principal;
  /** The events as JSON. */
  readonly text: string;
  readonly key: string | null;
  /** Of the request, in the format of `bytea`; null without a key. */
  readonly hash: string | null;
}

export type EmitBatches = (call: EmitBatchCall) => Promise<EmitAnswer>;

/** As many calls start without a wait. More of them in one statement would hardly save anything. */
const MAX_CALLS = 8;
const MAX_CHARACTERS = 262_144;
const MAX_CONCURRENT = 2;
/**
 * While calls keep coming, their statements start at least this far apart: a transaction costs more than the event in it, and so
 * do the steps of the dispatcher that follow it.
 */
const INTERVAL_MS = 15;
/**
 * Callers that wait for each answer come back together. After this many waits in a row that nobody joined in the last two thirds,
 * so many statements do not wait.
 */
const MAX_IDLE_WAITS = 3;
const IDLE_SHARE = 2 / 3;
const HASTY_STATEMENTS = 128;
const MAX_CALLERS = 1_000;

/** Stores the events of calls of one caller that come at about the same time in one transaction. */
export function createEmitBatches(ports: CallerPorts): EmitBatches {
  const callers = new LRUCache<string, EmitBatches>({ max: MAX_CALLERS });
  return (call) => {
    // A key can be locked by another transaction. Calls without one wait for nothing.
    const caller = JSON.stringify([call.principal, activeTraceparent(), call.key !== null]);
    const known = callers.get(caller);
    if (known !== undefined) return known(call);
    const batches = createCallerBatches(ports);
    callers.set(caller, batches);
    return batches(call);
  };
}

function createCallerBatches(ports: CallerPorts): EmitBatches {
  let startedAtMs = Number.NEGATIVE_INFINITY;
  let joinedAtMs = Number.NEGATIVE_INFINITY;
  let waitMs = 0;
  let idleWaits = 0;
  let hastyStatements = 0;
  const emit = createBatcher<EmitBatchCall, EmitAnswer>({
    maxItems: MAX_CALLS,
    maxSize: MAX_CHARACTERS,
    sizeOf: ({ text }) => text.length,
    maxConcurrent: MAX_CONCURRENT,
    delayMs: () => {
      waitMs = hastyStatements > 0 ? 0 : Math.max(0, startedAtMs + INTERVAL_MS - performance.now());
      return waitMs;
    },
    run: (calls) => {
      startedAtMs = performance.now();
      if (waitMs > 0) idleWaits = startedAtMs - joinedAtMs > IDLE_SHARE * waitMs ? idleWaits + 1 : 0;
      hastyStatements = idleWaits === MAX_IDLE_WAITS ? HASTY_STATEMENTS : Math.max(0, hastyStatements - 1);
      if (hastyStatements > 0) idleWaits = 0;
      waitMs = 0;
      return emitTogether(ports, calls);
    },
  });
  return (call) => {
    joinedAtMs = performance.now();
    return emit(call);
  };
}

async function emitTogether(ports: CallerPorts, calls: readonly EmitBatchCall[]): Promise<readonly EmitAnswer[]> {
  const [{ principal }] = calls as readonly [EmitBatchCall];
  const values = [calls.map(({ text }) => text), calls.map(({ key }) => key), calls.map(({ hash }) => hash)];
  const [answers] = await runAsCaller(ports, { principal, isReadOnly: false, text: EMIT_EVENTS, values });
  return JSON.parse(answers ?? "[]") as EmitAnswer[];
}
