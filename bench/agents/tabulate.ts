import { medianOf } from "../load/measure-rate.ts";
import { type Bar, formatFigure, type Goal, type Table } from "../report/table.ts";
import type { ServerFigures } from "./compare-servers.ts";
import type { LiveStreams } from "./measure-streams.ts";
import type { TurnFigures } from "./turns/compare-turns.ts";

const KIB = 1_024;
const SERVER_GOALS = { timesTheRate: 10, shareOfP50: 0.1 };
const STREAM_GOALS = { firstByteP50Ms: 5, cancelMs: 100, loopDelayP99Ms: 50 };

/** The first row is ours; its goal is to be below the fastest of the others. */
export function tabulateTurns(figures: readonly TurnFigures[]): Table {
  const [ours, ...others] = figures;
  const kinds = [
    ["an answer", (one: TurnFigures) => one.answer],
    ["an answer with a tool call", (one: TurnFigures) => one.callTool],
  ] as const;
  const times = (own: number | undefined, other: number): string => (other / (own ?? Number.NaN)).toFixed(1);
  return {
    id: "agents-turns",
    title: "Agents: a turn in the process, with a model and a tool that answer at once",
    head: ["", "answer, µs", "with a tool call, µs", "times ours", "times ours, tool"],
    rows: figures.map(({ name, answer, callTool }) => [
      name,
      answer.toFixed(0),
      callTool.toFixed(0),
      times(ours?.answer, answer),
      times(ours?.callTool, callTool),
    ]),
    notes: [],
    goals: kinds.flatMap(([about, read]): Goal[] => {
      const fastest = Math.min(...others.map(read));
      if (ours === undefined || others.length === 0) return [];
      return [
        {
          about: `${about} beside the fastest of the others`,
          bound: "at most",
          limit: fastest,
          value: read(ours),
          unit: " µs",
        },
      ];
    }),
    plot: {
      caption: "µs, less is better",
      bars: kinds.flatMap(([about, read]) =>
        figures.map((one, at): Bar => {
          const goal = at === 0 && others.length > 0 ? Math.min(...others.map(read)) : null;
          return {
            label: `${about}, ${one.name}`,
            value: read(one),
            text: `${formatFigure(read(one))} µs`,
            goal,
            isOurs: at === 0,
          };
        }),
      ),
    },
  };
}

export function tabulateServers(figures: readonly ServerFigures[]): Table {
  const [ours, ...others] = figures;
  const timesTheRate = (other: ServerFigures): number => (ours?.runsPerSecond ?? Number.NaN) / other.runsPerSecond;
  const shareOfP50 = (other: ServerFigures): number => (ours?.p50Ms ?? Number.NaN) / other.p50Ms;
  return {
    id: "agents-runs",
    title: "Agents: whole runs over HTTP, with a provider on loopback that answers at once",
    head: [
      "",
      "runs/s, 16 connections",
      "p50, one at a time",
      "p99",
      "CPU of a run, own + children",
      "ours: times the rate",
      "ours: share of the p50",
    ],
    rows: figures.map((one) => [
      one.name,
      one.runsPerSecond.toFixed(1),
      `${one.p50Ms.toFixed(1)} ms`,
      `${one.p99Ms.toFixed(1)} ms`,
      `${one.cpuMs.toFixed(1)} + ${one.childCpuMs.toFixed(1)} ms`,
      timesTheRate(one).toFixed(1),
      shareOfP50(one).toFixed(3),
    ]),
    notes: [],
    headline: `One core, PostgreSQL included, makes ${formatFigure(1_000 / ((ours?.cpuMs ?? Number.NaN) + (ours?.childCpuMs ?? Number.NaN)))} runs of an agent a second${others.length === 0 ? "" : `. Times as many as the others: ${others.map((one) => `${one.name} ${timesTheRate(one).toFixed(1)}`).join(", ")}`}`,
    goals: others.flatMap((other): Goal[] => [
      {
        about: `times the runs/s of ${other.name}`,
        bound: "at least",
        limit: SERVER_GOALS.timesTheRate,
        value: timesTheRate(other),
        unit: "",
      },
      {
        about: `share of the p50 of ${other.name}`,
        bound: "at most",
        limit: SERVER_GOALS.shareOfP50,
        value: shareOfP50(other),
        unit: "",
      },
    ]),
    plot: {
      caption: "runs a second",
      bars: figures.map(({ name, runsPerSecond }, at) => ({
        label: name,
        value: runsPerSecond,
        text: formatFigure(runsPerSecond),
        goal: at === 0 && others[0] !== undefined ? others[0].runsPerSecond * SERVER_GOALS.timesTheRate : null,
        isOurs: at === 0,
      })),
    },
  };
}

export interface StreamFigures {
  readonly firstBytesMs: readonly number[];
  readonly cancelsMs: readonly number[];
  readonly live: LiveStreams;
}

interface Times {
  readonly label: string;
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
  readonly goal: { readonly of: "p50" | "longest" | "p99"; readonly ms: number };
}

export function tabulateStreams({ firstBytesMs, cancelsMs, live }: StreamFigures): Table {
  const times: readonly Times[] = [
    {
      label: "from the provider's first piece to the client's",
      ...describeTimes(firstBytesMs),
      goal: { of: "p50", ms: STREAM_GOALS.firstByteP50Ms },
    },
    {
      label: "from a cancel to the end of the provider's connection",
      ...describeTimes(cancelsMs),
      goal: { of: "longest", ms: STREAM_GOALS.cancelMs },
    },
    {
      label: `event loop late, ${live.streams} streams of 20 pieces/s`,
      p50: live.loopDelayP50Ms,
      p99: live.loopDelayP99Ms,
      longest: live.loopDelayMaxMs,
      goal: { of: "p99", ms: STREAM_GOALS.loopDelayP99Ms },
    },
  ];
  return {
    id: "agents-streams",
    title: "Agents: streams",
    head: ["", "p50", "p99", "longest", "goal"],
    rows: times.map(({ label, p50, p99, longest, goal }) => [
      label,
      ...[p50, p99, longest].map((ms) => `${ms.toFixed(1)} ms`),
      `${goal.of} ${goal.ms} ms`,
    ]),
    notes: [
      [
        `${formatFigure(live.piecesPerSecond)} pieces/s came to the clients`,
        `all ${live.streams} runs were complete ${(live.endMs / 1_000).toFixed(1)} s after the provider's last pieces`,
        `the service used ${live.cpuShare.toFixed(2)} of a core`,
        `a live stream holds ${(live.heapPerStreamBytes / KIB).toFixed(1)} KiB of heap, ${(live.rssPerStreamBytes / KIB).toFixed(1)} KiB of the process`,
      ].join("; ") + ".",
    ],
    goals: times.map((one) => ({
      about: `${one.label}, ${one.goal.of}`,
      bound: "at most",
      limit: one.goal.ms,
      value: one[one.goal.of],
      unit: " ms",
    })),
    plot: {
      caption: "ms, less is better",
      bars: times.map((one) => ({
        label: `${one.label}, ${one.goal.of}`,
        value: one[one.goal.of],
        text: `${one[one.goal.of].toFixed(1)} ms`,
        goal: one.goal.ms,
        isOurs: true,
      })),
    },
  };
}

function describeTimes(timesMs: readonly number[]): Pick<Times, "p50" | "p99" | "longest"> {
  const sorted = timesMs.toSorted((one, other) => one - other);
  return {
    p50: medianOf(sorted),
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    longest: sorted.at(-1) ?? Number.NaN,
  };
}
