import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openClosers } from "../load/closers.ts";
import { openStage, type Stage } from "./stage.ts";

/**
 * Prints where deliveries spend their time at a steady rate, all of them and the slowest: `--seconds n --rounds n
 * --rate n`. The write of an event counts from its request, including the wait for a connection; the latency benchmark
 * does not include that wait.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "10" },
    rounds: { type: "string", default: "3" },
    rate: { type: "string", default: "500" },
  },
});
const ENDPOINTS = 100;
const WARM_UP_EVENTS = 500;
const STAGES = ["written", "asked for", "fanned out", "posted", "answered"] as const;
type StageName = (typeof STAGES)[number];
/** The times at which an event reached each stage, since its write began. */
type Trace = { startedAtMs: number } & Partial<Record<StageName, number>>;

interface FannedOutRow {
  readonly event_id?: string | null;
}

/**
 * Observes the database connections and the outbound requests of the webhook module. A claim counts as a late fan-out.
 */
function watch({ webhookPool, outbound }: Stage, find: (eventId: string) => Trace): void {
  const query = webhookPool.query.bind(webhookPool) as unknown as (
    ...given: unknown[]
  ) => Promise<{ rows: FannedOutRow[] }>;
  const watched = async (...given: unknown[]): Promise<{ rows: FannedOutRow[] }> => {
    const askedAtMs = performance.now();
    const result = await query(...given);
    const answeredAtMs = performance.now();
    for (const row of result.rows) {
      if (typeof row.event_id !== "string") continue;
      Object.assign(find(row.event_id), { "asked for": askedAtMs, "fanned out": answeredAtMs });
    }
    return result;
  };
  Object.assign(webhookPool, { query: watched });
  const post = outbound.post.bind(outbound);
  outbound.post = async (request) => {
    const trace = find((request.headers["webhook-id"] ?? "").slice("evt_".length));
    trace.posted = performance.now();
    const result = await post(request);
    trace.answered = performance.now();
    return result;
  };
}

const closers = openClosers();
try {
  const stage = await openStage();
  closers.add(() => stage.close());
  let traces = new Map<string, Trace>();
  // The module can be faster than the response to the write, which returns the id.
  const find = (eventId: string): Trace => {
    const trace = traces.get(eventId) ?? { startedAtMs: Number.NaN };
    traces.set(eventId, trace);
    return trace;
  };
  watch(stage, find);
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    await stage.prepare(ENDPOINTS);
    await stage.checkpoint();
    const node = stage.start();
    for (const events of [WARM_UP_EVENTS, Number(values.rate) * Number(values.seconds)]) {
      traces = new Map();
      const firstAtMs = performance.now();
      const writes: Promise<void>[] = [];
      for (let at = 0; at < events; at += 1) {
        const waitMs = firstAtMs + (at * 1_000) / Number(values.rate) - performance.now();
        if (waitMs > 1) await sleep(waitMs);
        const startedAtMs = performance.now();
        writes.push(
          stage.insertEvent(1 + (at % ENDPOINTS)).then((id) => {
            Object.assign(find(id), { startedAtMs, written: performance.now() });
            node.wake();
          }),
        );
      }
      await Promise.all(writes);
      while ([...traces.values()].some(({ answered }) => answered === undefined)) await sleep(20);
    }
    await node.stop();
    print(round, [...traces.values()]);
  }
} catch (error) {
  if (!closers.isClosing()) throw error;
} finally {
  await closers.closeAll();
}

function print(round: number, traces: Trace[]): void {
  const lastsMs = ({ startedAtMs, answered = Number.NaN }: Trace): number => answered - startedAtMs;
  const sorted = traces.toSorted((left, right) => lastsMs(left) - lastsMs(right));
  const shares: [string, Trace[]][] = [
    ["all", sorted],
    ["slowest 1 %", sorted.slice(-Math.ceil(sorted.length / 100))],
  ];
  process.stdout.write(`round ${round}, ms from stage to stage, means\n`);
  for (const [name, share] of shares) {
    const steps = STAGES.map((stage, at) => {
      const before = STAGES[at - 1];
      const tookMs = share.map(
        (trace) =>
          (trace[stage] ?? Number.NaN) - (before === undefined ? trace.startedAtMs : (trace[before] ?? Number.NaN)),
      );
      return `${stage} ${(tookMs.reduce((sum, ms) => sum + ms, 0) / tookMs.length).toFixed(1)}`;
    });
    const all = share.reduce((sum, trace) => sum + lastsMs(trace), 0) / share.length;
    process.stdout.write(`  ${name.padEnd(12)} ${all.toFixed(1).padStart(7)} = ${steps.join(" + ")}\n`);
  }
}
