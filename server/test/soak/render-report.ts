import { describeLatency, type Latency, type Observed } from "./judge.ts";
import { HEAP_LIMIT_MB, type MemoryOverTime, MOST_RSS_MB } from "./judge-memory.ts";
import type { SocketCounts } from "./sockets.ts";

export interface SoakReport extends Observed {
  readonly after: Latency | null;
  readonly seconds: number;
  readonly deliveries: number;
  readonly sockets: SocketCounts;
  readonly broken: readonly string[];
}

const SHOWN_SAMPLES = 12;

export function renderReport(report: SoakReport): string[] {
  const { loads, before, after, recoveryMs, memory, seconds, deliveries, sockets, broken } = report;
  const read = loads.find(({ name }) => name === "read");
  return [
    ...loads.map(({ name, byStatus, broken: lost, leftOut }) => {
      const statuses = [...byStatus].toSorted(([left], [right]) => left - right);
      const rates = statuses.map(([status, count]) => `${status}: ${(count / seconds).toFixed(1)}/s`);
      const unanswered = [...lost.values()].reduce((sum, count) => sum + count, 0);
      return `${name.padEnd(12)} ${rates.join(", ")}; without an answer ${unanswered}; not sent, too many under way ${leftOut}`;
    }),
    `latency of reads: before ${renderLatency(before)}; during ${renderLatency(describeLatency(read?.answeredMs ?? []))}; after ${after === null ? "never" : renderLatency(after)}`,
    `normal again ${recoveryMs === null ? "never" : `${(recoveryMs / 1_000).toFixed(1)} s`} after the load`,
    ...renderMemory(memory),
    `webhooks received ${deliveries} deliveries; ${sockets.opened} sockets were sent ${sockets.frames} frames, ${sockets.closed} of those that read were closed`,
    ...(broken.length === 0 ? ["all promises kept"] : broken.map((fault) => `BROKEN ${fault}`)),
  ];
}

function thin<Item>(items: readonly Item[]): Item[] {
  const step = Math.max(1, Math.ceil(items.length / SHOWN_SAMPLES));
  return items.filter((_, index) => index % step === 0);
}

function renderLatency({ p50Ms, p99Ms }: Latency): string {
  return `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
}

/** Looks collect everything first; between them the heap holds what nobody has collected yet. */
function renderMemory({ samples, snapshots }: MemoryOverTime): string[] {
  const [first] = snapshots;
  const rows = [
    ...thin(samples).map(({ atMs, rssMb, heapMb }) => ({ atMs, name: "", columns: [rssMb, heapMb, null, null] })),
    ...snapshots.map(({ atMs, name, rssMb, liveMb, bufferMb }) => ({
      atMs,
      name,
      columns: [rssMb, null, liveMb, bufferMb],
    })),
  ].toSorted((left, right) => left.atMs - right.atMs);
  const head = ["process", "heap", "in use", "buffers"].map((title) => title.padStart(9)).join("");
  return [
    `memory in MB, with a heap of at most ${HEAP_LIMIT_MB} and a process of at most ${MOST_RSS_MB}`,
    `${"at".padStart(8)}${head}`,
    ...rows.map(({ atMs, name, columns }) => {
      const at = `${((atMs - (first?.atMs ?? atMs)) / 1_000).toFixed(0)} s`.padStart(8);
      const values = columns.map((mb) => (mb === null ? "" : mb.toFixed(0)).padStart(9)).join("");
      return `${at}${values}  ${name}`.trimEnd();
    }),
  ];
}
