import { setTimeout as sleep } from "node:timers/promises";
import { medianOf } from "../load/measure-rate.ts";
import type { Stage } from "./stage.ts";

export interface LatencyOptions {
  readonly eventsPerSecond: number;
  readonly seconds: number;
  readonly endpoints: number;
  /** Events are for the users from this number on. */
  readonly firstEndpoint: number;
}

export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** The median of each, and the maximum of all. */
export function joinRounds(rounds: readonly Latency[]): Latency {
  return {
    p50Ms: medianOf(rounds.map(({ p50Ms }) => p50Ms)),
    p99Ms: medianOf(rounds.map(({ p99Ms }) => p99Ms)),
    maxMs: Math.max(...rounds.map(({ maxMs }) => maxMs)),
  };
}

const GIVE_UP_MS = 60_000;
/** Warm-up for connections and plans, which is not counted. */
const WARM_UP_SECONDS = 1;

/**
 * From the statement that writes the event, including its commit, to the last byte at the receiver, at a steady rate.
 */
export async function measureLatency(stage: Stage, options: LatencyOptions): Promise<Latency> {
  const { eventsPerSecond, seconds, endpoints, firstEndpoint } = options;
  const node = stage.start();
  await stage.count();
  const send = async (events: number): Promise<number[]> => {
    const startedAtMs = performance.now();
    const writes: Promise<unknown>[] = [];
    for (let at = 0; at < events; at += 1) {
      const waitMs = startedAtMs + (at * 1_000) / eventsPerSecond - performance.now();
      if (waitMs > 1) await sleep(waitMs);
      writes.push(stage.insertEvent(firstEndpoint + (at % (endpoints + 1 - firstEndpoint))).then(node.wake));
    }
    await Promise.all(writes);
    const arrivedMs: number[] = [];
    for (const deadline = performance.now() + GIVE_UP_MS; arrivedMs.length < events; await sleep(50)) {
      arrivedMs.push(...(await stage.count()).latenciesMs);
      if (performance.now() > deadline) throw new Error(`${events - arrivedMs.length} events never arrived`);
    }
    return arrivedMs;
  };
  await send(eventsPerSecond * WARM_UP_SECONDS);
  const latenciesMs = await send(eventsPerSecond * seconds);
  await node.stop();
  latenciesMs.sort((left, right) => left - right);
  const at = (share: number): number =>
    Math.round(latenciesMs[Math.min(Math.floor(latenciesMs.length * share), latenciesMs.length - 1)] ?? Number.NaN);
  return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
}
