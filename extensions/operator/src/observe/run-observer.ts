import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { OperatorContext } from "../operator-route.ts";
import { storeLogLines, storeSample } from "../sql/observations.ts";
import { addRequests } from "../sql/user-days.ts";
import { describeProcess } from "./describe-process.ts";
import type { LogBuffer } from "./log-buffer.ts";
import type { RequestCounts } from "./request-counts.ts";
import { type Counters, readCounters, sampleMetrics } from "./sample-metrics.ts";

const FLUSH_MS = 1000;
const SAMPLE_MS = 15_000;
const BATCH_LINES = 500;

/** Unique among the processes that write at one time. */
const NODE = `${hostname()}:${process.pid}`;

interface Observed {
  readonly lines: LogBuffer;
  readonly requests: RequestCounts;
}

/** Stores the log lines, the metrics and the requests of this process, so that operators see those of all processes in one place. */
export async function runObserver(
  signal: AbortSignal,
  context: OperatorContext,
  { lines, requests }: Observed,
): Promise<void> {
  // Without the view nobody reads them, and the buffer stays empty.
  if (!context.settings.OPERATOR_ENABLED) return untilAborted(signal);
  // The first sample shows the process at once; it has no interval to measure.
  let counters = await sample(context, null);
  let sampledAtMs = performance.now();
  while (!signal.aborted) {
    await sleep(FLUSH_MS, undefined, { signal }).catch(() => undefined);
    await flush(context, lines);
    if (performance.now() - sampledAtMs < SAMPLE_MS && !signal.aborted) continue;
    sampledAtMs = performance.now();
    const byUser = requests.take();
    // Those of a failed statement are lost, like lines that cannot be stored.
    if (byUser !== null) await context.database.asService((query) => addRequests(query, byUser));
    if (signal.aborted) return;
    counters = await sample(context, counters);
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}

/** Lines that cannot be stored are lost: the log itself has them. */
async function flush({ database, now }: OperatorContext, buffer: LogBuffer): Promise<void> {
  for (;;) {
    const { lines, dropped } = buffer.take(BATCH_LINES);
    const loss = {
      created_at: now().toISOString(),
      level: "warn",
      event: "operator.lines_dropped",
      message: "log lines were not stored, because there were too many",
      request_id: null,
      user_id: null,
      fields: { dropped },
    };
    const stored = dropped === 0 ? lines : [...lines, loss];
    if (stored.length === 0) return;
    await database.asService((query) => storeLogLines(query, NODE, stored));
    if (lines.length < BATCH_LINES) return;
  }
}

async function sample(context: OperatorContext, before: Counters | null): Promise<Counters> {
  const families = await context.readMetrics();
  const now = readCounters(families);
  const measured = sampleMetrics(families, before ?? now, now);
  const state = describeProcess(context, families);
  await context.database.asService((query) => storeSample(query, NODE, measured, state));
  return now;
}
