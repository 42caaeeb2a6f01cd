import { describeLatency, type Growth, type Latency, measureGrowth, type Observed } from "./judge.ts";
import type { SocketTally } from "./sockets.ts";

export interface SoakReport extends Observed {
  readonly after: Latency | null;
  readonly seconds: number;
  readonly deliveries: number;
  readonly sockets: SocketTally;
  readonly broken: readonly string[];
}

const SHOWN_SAMPLES = 12;

export function renderReport(report: SoakReport): string[] {
  const { tallies, before, after, recoveryMs, memory, seconds, deliveries, sockets, broken } = report;
  const { rss, heap } = measureGrowth(memory);
  const read = tallies.find(({ name }) => name === "read");
  return [
    ...tallies.map(({ name, byStatus, broken: lost, leftOut }) => {
      const statuses = [...byStatus].toSorted(([left], [right]) => left - right);
      const rates = statuses.map(([status, count]) => `${status}: ${(count / seconds).toFixed(1)}/s`);
      const unanswered = [...lost.values()].reduce((sum, count) => sum + count, 0);
      return `${name.padEnd(12)} ${rates.join(", ")}; without an answer ${unanswered}; not sent, too many under way ${leftOut}`;
    }),
    `latency of reads: before ${renderLatency(before)}; during ${renderLatency(describeLatency(read?.answeredMs ?? []))}; after ${after === null ? "never" : renderLatency(after)}`,
    `normal again ${recoveryMs === null ? "never" : `${(recoveryMs / 1_000).toFixed(1)} s`} after the load`,
    `memory over time (MB, process/heap): ${thin(memory)
      .map(({ rssMb, heapMb }) => `${rssMb.toFixed(0)}/${heapMb?.toFixed(0) ?? "-"}`)
      .join(" ")}`,
    `memory after warm-up: process ${renderGrowth(rss)}; heap ${renderGrowth(heap)}`,
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

function renderGrowth(growth: Growth | null): string {
  if (growth === null) return "not measured";
  const { fromMb, toMb, mbPerMinute } = growth;
  return `${fromMb.toFixed(0)} to ${toMb.toFixed(0)} MB (${mbPerMinute.toFixed(1)} MB/min)`;
}
