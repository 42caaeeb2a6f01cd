import { setTimeout as sleep } from "node:timers/promises";
import { describeLatency, findBrokenPromises, type Latency } from "./judge.ts";
import type { MemorySnapshot } from "./judge-memory.ts";
import { attempt, openCounts, runLoad, type Traffic } from "./load.ts";
import { renderReport } from "./render-report.ts";
import { openSockets } from "./sockets.ts";
import { openSoakStage, type SoakStage } from "./stage.ts";
import { mixedTraffic, readTraffic, respondCall } from "./traffic.ts";
import { takeSnapshot, watchMemory } from "./watch-memory.ts";

const CALM_PER_SECOND = 40;
const CALM_MS = 3_000;
const CAPACITY_MS = 1_500;
const CAPACITY_CALLERS = 32;
/** Long enough to say that it never came back. */
const TIMEOUT_MS = 30_000;
const SNAPSHOT_MS = 500;
/** Normal is three times what it was; on a machine that does other things too, never less than this. */
const NORMAL_SHARE = 3;
const NORMAL_LEAST_MS = 150;

/** A service under more than it can do for so many seconds. Answers whether it kept its promises, and writes what happened. */
export async function runSoak(seconds: number, write: (line: string) => void): Promise<boolean> {
  const closers: (() => Promise<void>)[] = [];
  try {
    const t = { after: (close: () => Promise<void>) => void closers.push(close) };
    const stage = await openSoakStage(t);
    const sockets = await openSockets(t, stage);
    const canRespond = (await stage.client.send(respondCall(first(stage)))).status === 200;
    if (!canRespond) write("agents do not answer here: their traffic is left out");

    // What is slow only the first time is not what it is compared with.
    await probe(stage, SNAPSHOT_MS);
    const before = describeLatency(await probe(stage, CALM_MS));
    const capacity = await measureCapacity(readTraffic(stage, 0));
    write(`${capacity.toFixed(0)} reads/s with ${CAPACITY_CALLERS} callers; ${seconds} s of mixed traffic above that`);

    const snapshot = (name: MemorySnapshot["name"]): Promise<MemorySnapshot> =>
      takeSnapshot(name, stage.inspector, stage.pid);
    const snapshots = [await snapshot("before")];
    const watch = watchMemory(stage.pid, stage.metricsPort);
    const loading = runLoad(mixedTraffic(stage, capacity, canRespond), seconds * 1_000);
    for (const name of ["warm", "later"] as const) {
      await sleep((seconds * 1_000) / 3);
      snapshots.push(await snapshot(name));
    }
    const { loads, answered } = await loading;
    snapshots.push(await snapshot("end"));
    await watch.stop();
    const { recoveryMs, after } = await awaitNormal(stage, before);
    await answered;
    snapshots.push(await snapshot("after"));

    const observed = { loads, before, recoveryMs, memory: { samples: watch.samples, snapshots } };
    const broken = findBrokenPromises(observed);
    const deliveries = stage.receiver.received.length;
    for (const line of renderReport({ ...observed, after, seconds, deliveries, sockets, broken })) write(line);
    if (broken.length > 0) write(stage.output().slice(-2_000));
    return broken.length === 0;
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

async function probe(stage: SoakStage, durationMs: number): Promise<readonly number[]> {
  const { loads, answered } = await runLoad([readTraffic(stage, CALM_PER_SECOND)], durationMs);
  await answered;
  return loads[0]?.answeredMs ?? [];
}

/** Each caller asks again as soon as it is answered. */
async function measureCapacity(traffic: Traffic): Promise<number> {
  const counts = openCounts(traffic.name);
  const deadlineMs = performance.now() + CAPACITY_MS;
  const ask = async (): Promise<void> => {
    while (performance.now() < deadlineMs) await attempt(traffic, counts);
  };
  await Promise.all(Array.from({ length: CAPACITY_CALLERS }, ask));
  return (counts.answeredMs.length * 1_000) / CAPACITY_MS;
}

async function awaitNormal(
  stage: SoakStage,
  before: Latency,
): Promise<{ recoveryMs: number | null; after: Latency | null }> {
  const normalMs = Math.max(before.p99Ms * NORMAL_SHARE, NORMAL_LEAST_MS);
  const endedAtMs = performance.now();
  while (performance.now() - endedAtMs < TIMEOUT_MS) {
    const takenAtMs = performance.now();
    const answeredMs = await probe(stage, SNAPSHOT_MS);
    const isNormal = answeredMs.length > 0 && Math.max(...answeredMs) <= normalMs;
    if (!isNormal) continue;
    return { recoveryMs: takenAtMs - endedAtMs, after: describeLatency(await probe(stage, CALM_MS)) };
  }
  return { recoveryMs: null, after: null };
}

function first({ people: [person] }: SoakStage) {
  if (person === undefined) throw new Error("nobody is there");
  return person;
}
