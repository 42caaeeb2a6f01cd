import { setTimeout as sleep } from "node:timers/promises";

export interface Traffic {
  readonly name: string;
  readonly perSecond: number;
  /** Most that are under way at once. Beyond it calls are left out and counted: the load is bounded, whatever the service does. */
  readonly mostUnderWay: number;
  /** Whether a status is one that this call may get from a service that has too much to do. */
  isExpected(status: number): boolean;
  send(): Promise<number>;
}

export interface LoadCounts {
  readonly name: string;
  readonly byStatus: Map<number, number>;
  /** Calls without an answer, by what happened instead. */
  readonly broken: Map<string, number>;
  readonly unexpected: Map<number, number>;
  readonly answeredMs: number[];
  leftOut: number;
}

const TICK_MS = 10;

export interface Load {
  readonly loads: readonly LoadCounts[];
  /** Resolves when all calls are answered; until then the loads change. */
  readonly answered: Promise<unknown>;
}

/** Begins calls at their rates, whether earlier ones were answered or not, for so long; resolves when the last has begun. */
export async function runLoad(traffic: readonly Traffic[], durationMs: number): Promise<Load> {
  const loads = traffic.map((one) => openCounts(one.name));
  const underWay = traffic.map(() => new Set<Promise<void>>());
  const owed = traffic.map(() => 0);
  const startedAtMs = performance.now();
  for (let lastMs = startedAtMs; lastMs - startedAtMs < durationMs; ) {
    await sleep(TICK_MS);
    const nowMs = performance.now();
    for (const [index, one] of traffic.entries()) {
      const counts = loads[index];
      const calls = underWay[index];
      if (counts === undefined || calls === undefined) continue;
      let due = (owed[index] ?? 0) + (one.perSecond * (nowMs - lastMs)) / 1000;
      for (; due >= 1; due -= 1) {
        if (calls.size >= one.mostUnderWay) counts.leftOut += 1;
        else begin(one, counts, calls);
      }
      owed[index] = due;
    }
    lastMs = nowMs;
  }
  return { loads, answered: Promise.all(underWay.flatMap((calls) => [...calls])) };
}

export function openCounts(name: string): LoadCounts {
  return { name, byStatus: new Map(), broken: new Map(), unexpected: new Map(), answeredMs: [], leftOut: 0 };
}

function begin(one: Traffic, counts: LoadCounts, calls: Set<Promise<void>>): void {
  const call = attempt(one, counts).finally(() => calls.delete(call));
  calls.add(call);
}

export async function attempt(one: Traffic, counts: LoadCounts): Promise<void> {
  const startedAtMs = performance.now();
  try {
    const status = await one.send();
    if (status < 400) counts.answeredMs.push(performance.now() - startedAtMs);
    count(counts.byStatus, status);
    if (!one.isExpected(status)) count(counts.unexpected, status);
  } catch (error) {
    count(counts.broken, error instanceof Error ? ("code" in error ? String(error.code) : error.message) : "unknown");
  }
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
