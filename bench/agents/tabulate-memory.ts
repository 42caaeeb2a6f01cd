import { formatFigure, type Table } from "../report/table.ts";
import type { CacheFigures } from "./measure-cache.ts";
import { compareHistory, type HistoryFigures } from "./measure-history.ts";
import { medianOf } from "../load/measure-rate.ts";
import type { ScheduleFigures } from "./measure-schedules.ts";

const MAX_HISTORY_RATIO = 1.1;
const MIN_CACHED_SHARE = 0.8;

/** The first row is that of runs without history, the last one that of runs with the most. */
export function tabulateHistory(figures: readonly HistoryFigures[]): Table {
  const [without] = figures;
  const ratioOf = (one: HistoryFigures): number => (without === undefined ? Number.NaN : compareHistory(one, without));
  return {
    id: "agents-history",
    title: "Agents: a run that remembers earlier ones",
    head: ["", "CPU of a run, own + children", "ratio"],
    rows: figures.map((one) => [
      one.name,
      `${medianOf(one.cpuMs).toFixed(2)} + ${medianOf(one.childCpuMs).toFixed(2)} ms`,
      formatFigure(ratioOf(one)),
    ]),
    notes: ["Each result of a tool has about a kilobyte. The ratio is the median of the ratios of rounds."],
    goals: figures.slice(-1).map((one) => ({
      about: "CPU of a run after three earlier runs of two tool calls each, relative to one without history",
      bound: "at most",
      limit: MAX_HISTORY_RATIO,
      value: ratioOf(one),
      unit: "",
    })),
    plot: {
      caption: "CPU of a run, relative to one without history",
      bars: figures.map((one, at) => ({
        label: one.name,
        value: ratioOf(one),
        text: formatFigure(ratioOf(one)),
        goal: at === figures.length - 1 ? MAX_HISTORY_RATIO : null,
        isOurs: true,
      })),
    },
  };
}

export function tabulateCache(figures: readonly CacheFigures[]): Table {
  const shareOf = ({ cachedTokens, inputTokens }: CacheFigures): number => cachedTokens / inputTokens;
  return {
    id: "agents-cache",
    title: "Agents: input that providers read from their caches in a long conversation",
    head: ["rules of", "turns", "input tokens", "read from the cache", "written to it", "share read"],
    rows: figures.map((one) => [
      one.vendor,
      String(one.turns),
      one.inputTokens.toLocaleString("en"),
      one.cachedTokens.toLocaleString("en"),
      one.writtenTokens.toLocaleString("en"),
      shareOf(one).toFixed(3),
    ]),
    notes: ["The figures do not depend on the machine. Calls that write summaries are among them."],
    goals: figures.map((one) => ({
      about: `share of cached input in ${one.turns} turns with the rules of ${one.vendor}`,
      bound: "at least",
      limit: MIN_CACHED_SHARE,
      value: shareOf(one),
      unit: "",
    })),
    plot: {
      caption: "share of input that is read from the cache",
      bars: figures.map((one) => ({
        label: one.vendor,
        value: shareOf(one),
        text: formatFigure(shareOf(one)),
        goal: MIN_CACHED_SHARE,
        isOurs: true,
      })),
    },
  };
}

export function tabulateSchedules(figures: ScheduleFigures): Table {
  const { count, users, cpuMs, childCpuMs, askedCpuMs, askedChildCpuMs, p50Ms, latestMs, endMs } = figures;
  const formatMs = (ms: number): string => `${formatFigure(ms / 1_000)} s`;
  const ratio = (cpuMs + childCpuMs) / (askedCpuMs + askedChildCpuMs);
  const formatCpu = (own: number, children: number): string => `${own.toFixed(2)} + ${children.toFixed(2)} ms`;
  const many = count.toLocaleString("en");
  return {
    id: "agents-schedules",
    title: `Agents: ${many} schedules of ${users} users that are due at one moment`,
    head: [
      "",
      "CPU of a run with its start, own + children",
      "middle start after",
      "latest start after",
      "all ended after",
    ],
    rows: [
      ["started by schedules", formatCpu(cpuMs, childCpuMs), formatMs(p50Ms), formatMs(latestMs), formatMs(endMs)],
      ["started by calls, 8 connections", formatCpu(askedCpuMs, askedChildCpuMs), "", "", ""],
    ],
    notes: [
      `A run that a schedule starts takes ${formatFigure(ratio)} of the CPU of one that a call starts.`,
      "The runs that have started share the processor with the starts that follow.",
    ],
    goals: [],
    plot: {
      caption: "CPU of a run with its start in milliseconds",
      bars: [
        {
          label: "by a schedule",
          value: cpuMs + childCpuMs,
          text: formatFigure(cpuMs + childCpuMs),
          goal: null,
          isOurs: true,
        },
        {
          label: "by a call",
          value: askedCpuMs + askedChildCpuMs,
          text: formatFigure(askedCpuMs + askedChildCpuMs),
          goal: null,
          isOurs: true,
        },
      ],
    },
  };
}
