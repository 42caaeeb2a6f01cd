import { formatFigure, type Table } from "../report/table.ts";

export interface Round {
  readonly framesPerSecond: number;
  readonly cpuMicroseconds: number;
}

export interface FanOut {
  readonly sockets: number;
  readonly bytes: number;
  readonly ours: Round;
  readonly raw: Round;
}

export interface Latency {
  readonly about: string;
  readonly framesMs: readonly number[];
  readonly heartbeatsMs: readonly number[];
  /** The expected number of frames. */
  readonly expected: number;
}

export interface SocketMemory {
  readonly sockets: number;
  readonly heapKib: number;
  readonly processKib: number;
}

/** The share of raw broadcasts, at the number of sockets that the goal names. */
const GOAL = { share: 0.5, sockets: 1_000 };
const MAX_P99_MS = 50;

export function tabulateFanOuts(fanOuts: readonly FanOut[]): Table {
  const shares = fanOuts.map((fanOut) => ({
    ...fanOut,
    share: fanOut.ours.framesPerSecond / fanOut.raw.framesPerSecond,
    goal: fanOut.sockets === GOAL.sockets ? GOAL.share : null,
    label: `${fanOut.sockets.toLocaleString("en")} ${fanOut.sockets === 1 ? "socket" : "sockets"}`,
  }));
  return {
    id: "realtime-fan-out",
    title: "Realtime: one agent's updates to all sockets of its owner, against `ws` sending the same bytes",
    head: ["", "frames/s", "raw `ws`", "share", "CPU of a frame", "raw `ws`"],
    rows: shares.map(({ label, bytes, ours, raw, share }) => [
      `${label}, ${bytes.toLocaleString("en")} bytes`,
      formatFigure(ours.framesPerSecond),
      formatFigure(raw.framesPerSecond),
      share.toFixed(2),
      `${ours.cpuMicroseconds.toFixed(1)} µs`,
      `${raw.cpuMicroseconds.toFixed(1)} µs`,
    ]),
    notes: [],
    goals: shares.flatMap(({ label, share, goal }) =>
      goal === null
        ? []
        : [{ about: `the share at ${label}`, bound: "at least" as const, limit: goal, value: share, unit: "" }],
    ),
    plot: {
      caption: "share of the frames a second of raw broadcasts",
      bars: shares.map(({ label, share, goal }) => ({
        label,
        value: share,
        text: share.toFixed(2),
        goal,
        isOurs: true,
      })),
    },
  };
}

export function tabulateLatency({ about, framesMs, heartbeatsMs, expected }: Latency): Table {
  const rows = [
    { label: "commit to frame", times: framesMs, isOurs: true },
    { label: "heartbeats meanwhile", times: heartbeatsMs, isOurs: false },
  ].map(({ times, ...rest }) => ({ ...rest, p50: atShare(times, 0.5), p99: atShare(times, 0.99) }));
  return {
    id: "realtime-latency",
    title: `Realtime: from the response to a commit to its frame, ${about}`,
    head: ["", "p50", "p99"],
    rows: rows.map(({ label, p50, p99 }) => [label, `${p50.toFixed(1)} ms`, `${p99.toFixed(1)} ms`]),
    notes: [`${framesMs.length.toLocaleString("en")} of ${expected.toLocaleString("en")} frames arrived.`],
    goals: [
      {
        about: "p99 from commit to frame",
        bound: "at most",
        limit: MAX_P99_MS,
        value: rows[0]?.p99 ?? Number.NaN,
        unit: " ms",
      },
      { about: "frames that came", bound: "at least", limit: expected, value: framesMs.length, unit: "" },
    ],
    plot: {
      caption: "ms, less is better",
      bars: rows.flatMap(({ label, isOurs, p50, p99 }) => [
        { label: `${label}, p50`, value: p50, text: `${p50.toFixed(1)} ms`, goal: null, isOurs },
        { label: `${label}, p99`, value: p99, text: `${p99.toFixed(1)} ms`, goal: isOurs ? MAX_P99_MS : null, isOurs },
      ]),
    },
  };
}

export function tabulateMemory({ sockets, heapKib, processKib }: SocketMemory): Table {
  const rows = [
    ["of the heap", heapKib],
    ["of the process", processKib],
  ] as const;
  return {
    id: "realtime-memory",
    title: `Realtime: an idle subscribed socket, of ${sockets.toLocaleString("en")}`,
    head: ["", "holds"],
    rows: rows.map(([label, kib]) => [label, `${kib.toFixed(1)} KiB`]),
    notes: [],
    goals: [],
    plot: {
      caption: "KiB, less is better",
      bars: rows.map(([label, kib]) => ({
        label,
        value: kib,
        text: `${kib.toFixed(1)} KiB`,
        goal: null,
        isOurs: true,
      })),
    },
  };
}

function atShare(timesMs: readonly number[], share: number): number {
  return timesMs.toSorted((one, other) => one - other)[Math.floor(timesMs.length * share)] ?? Number.NaN;
}
