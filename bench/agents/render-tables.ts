import { medianOf } from "../load/measure-rate.ts";
import type { ServerFigures } from "./compare-servers.ts";
import type { LiveStreams } from "./measure-streams.ts";
import type { TurnFigures } from "./turns/compare-turns.ts";

const KIB = 1_024;

export function renderTurns(figures: readonly TurnFigures[]): string {
  const [ours] = figures;
  const times = (own: number | undefined, other: number): string => (other / (own ?? Number.NaN)).toFixed(1);
  return renderTable(
    ["in the process, instant model", "answer, µs", "with a tool call, µs", "times ours", "times ours, tool"],
    figures.map(({ name, answer, callTool }) => [
      name,
      answer.toFixed(0),
      callTool.toFixed(0),
      times(ours?.answer, answer),
      times(ours?.callTool, callTool),
    ]),
  );
}

export function renderServers(figures: readonly ServerFigures[]): string {
  const [ours] = figures;
  return renderTable(
    [
      "whole runs, instant provider on loopback",
      "runs/s, 16 connections",
      "p50, one at a time",
      "p99",
      "CPU of a run, own + children",
      "ours: times the rate",
      "ours: share of the p50",
    ],
    figures.map(({ name, runsPerSecond, p50Ms, p99Ms, cpuMs, childCpuMs }) => [
      name,
      runsPerSecond.toFixed(1),
      `${p50Ms.toFixed(1)} ms`,
      `${p99Ms.toFixed(1)} ms`,
      `${cpuMs.toFixed(1)} + ${childCpuMs.toFixed(1)} ms`,
      ((ours?.runsPerSecond ?? Number.NaN) / runsPerSecond).toFixed(1),
      ((ours?.p50Ms ?? Number.NaN) / p50Ms).toFixed(3),
    ]),
  );
}

export interface StreamFigures {
  readonly firstBytesMs: readonly number[];
  readonly cancelsMs: readonly number[];
  readonly live: LiveStreams;
}

export function renderStreams({ firstBytesMs, cancelsMs, live }: StreamFigures): string {
  const times = [
    ["from the provider's first piece to the client's", ...describeTimes(firstBytesMs), "p50 5 ms"],
    ["from a cancel to the end of the provider's connection", ...describeTimes(cancelsMs), "100 ms"],
    [
      `event loop of the service late, ${live.streams} streams of 20 pieces/s`,
      ...[live.loopDelayP50Ms, live.loopDelayP99Ms, live.loopDelayMaxMs].map((ms) => `${ms.toFixed(1)} ms`),
      "p99 50 ms",
    ],
  ];
  const beside = [
    `${Math.round(live.framesPerSecond).toLocaleString("en")} pieces/s came to the clients`,
    `the service used ${live.cpuShare.toFixed(2)} of a core`,
    `a live stream holds ${(live.heapPerStreamBytes / KIB).toFixed(1)} KiB of heap, ${(live.rssPerStreamBytes / KIB).toFixed(1)} KiB of the process`,
  ];
  return `${renderTable(["streams", "p50", "p99", "longest", "aim"], times)}\n\n${beside.join("; ")}.`;
}

function describeTimes(timesMs: readonly number[]): string[] {
  const sorted = timesMs.toSorted((one, other) => one - other);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
  return [medianOf(sorted), p99, sorted.at(-1) ?? Number.NaN].map((ms) => `${ms.toFixed(1)} ms`);
}

function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, at) => (at === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}
