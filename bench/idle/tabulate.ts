import { medianOf } from "../load/measure-rate.ts";
import { formatFigure, type Goal, type Table } from "../report/table.ts";
import type { HeldMemory } from "./measure-held.ts";
import type { IdleCost } from "./measure-idle.ts";
import type { StartTimes } from "./measure-starts.ts";

const MAX_CORE_PERCENT = 0.4;
const MAX_TIMESLICES = 10;
const MAX_USED_START_MS = 1_200;
const MAX_FIRST_START_MS = 3_000;
const MS_PER_PERCENT = 10;
const MIB = 1024 ** 2;
const MAX_IDLE_MIB = 160;
const MAX_HELD_MIB = 350;
const IDLE_REASON =
  "most of them are of the looks at the snapshot once a second with the answer (two of the main thread, one of PostgreSQL), of the timers of HTTP and presence, and of what a commit wakes: housekeeping once a minute, after which the writers of PostgreSQL go on for a while. Tried: polls that wait for commits (94 before), timers on common ticks, fewer status messages of the feed (decision 0038)";

export function tabulateIdle(costs: readonly IdleCost[]): Table {
  const named = costs.map((cost) => ({ ...cost, name: cost.nodes === 1 ? "one node" : `each of ${cost.nodes} nodes` }));
  const goals = named.flatMap((cost): Goal[] => [
    {
      about: `${cost.name}, CPU without clients`,
      bound: "at most",
      limit: MAX_CORE_PERCENT,
      value: cost.cpuMsPerSecond / MS_PER_PERCENT,
      unit: " % of a core",
      reason: IDLE_REASON,
      isCost: cost.nodes === 1,
    },
    {
      about: `${cost.name}, timeslices a second`,
      bound: "at most",
      limit: MAX_TIMESLICES,
      value: cost.timeslicesPerSecond,
      unit: "",
      reason: IDLE_REASON,
    },
    {
      about: `${cost.name}, memory without clients`,
      bound: "at most",
      limit: MAX_IDLE_MIB,
      value: cost.serviceMiB,
      unit: " MiB",
      isCost: cost.nodes === 1,
    },
  ]);
  return {
    id: "idle",
    title: "A service without clients",
    head: ["", "CPU of a core", "timeslices a second", "transactions a second", "memory of the service"],
    rows: named.map((cost) => [
      cost.name,
      `${formatFigure(cost.cpuMsPerSecond / MS_PER_PERCENT)} %`,
      formatFigure(cost.timeslicesPerSecond),
      formatFigure(cost.transactionsPerSecond),
      `${formatFigure(cost.serviceMiB)} MiB`,
    ]),
    notes: ["All threads of the service and of PostgreSQL, which the nodes share, divided by the number of nodes."],
    headline: `Without clients, ${named.map(({ name, cpuMsPerSecond, serviceMiB }) => `${name} takes ${formatFigure(cpuMsPerSecond / MS_PER_PERCENT)} % of a core and ${formatFigure(serviceMiB)} MiB`).join(", ")}`,
    goals,
    plot: {
      caption: "% of a core, less is better",
      bars: named.map((cost) => {
        const percent = cost.cpuMsPerSecond / MS_PER_PERCENT;
        return {
          label: cost.name,
          value: percent,
          text: `${formatFigure(percent)} %`,
          goal: MAX_CORE_PERCENT,
          isOurs: true,
        };
      }),
    },
  };
}

export function tabulateHeld(held: HeldMemory): Table {
  const steps: [string, number][] = [
    ["without clients, before", held.idleBytes],
    ["at most meanwhile", held.peakBytes],
    ["130 s after the last delivery", held.heldBytes],
  ];
  const about = `after ${held.deliveries.toLocaleString("en")} deliveries to ${held.endpoints} endpoints`;
  return {
    id: "idle-held",
    title: `Memory of the service ${about}, each on a host of its own`,
    head: ["", "memory of the service"],
    rows: steps.map(([name, bytes]) => [name, `${formatFigure(bytes / MIB)} MiB`]),
    notes: [`A delivery took ${formatFigure(held.cpuMicroseconds)} µs of CPU of the service, handshakes included.`],
    goals: [
      {
        about: `memory ${about}`,
        bound: "at most",
        limit: MAX_HELD_MIB,
        value: held.heldBytes / MIB,
        unit: " MiB",
        isCost: true,
      },
    ],
    plot: {
      caption: "MiB, less is better",
      bars: steps.map(([label, bytes], at) => ({
        label,
        value: bytes / MIB,
        text: `${formatFigure(bytes / MIB)} MiB`,
        goal: at === 2 ? MAX_HELD_MIB : null,
        isOurs: true,
      })),
    },
  };
}

interface Starts {
  readonly first: readonly StartTimes[];
  readonly used: readonly StartTimes[];
}

export function tabulateStarts({ first, used }: Starts): Table {
  const kinds = [
    { name: "a used data directory", times: used, limit: MAX_USED_START_MS },
    { name: "an empty one", times: first, limit: MAX_FIRST_START_MS },
  ].map((kind) => ({ ...kind, median: medianTimes(kind.times) }));
  const parts = Object.keys(kinds[0]?.median ?? {});
  return {
    id: "starts",
    title: "From the start of Node.js until the service serves",
    head: ["", ...kinds.map(({ name }) => name)],
    rows: parts.map((part) => [part, ...kinds.map(({ median }) => `${formatFigure(median[part] ?? Number.NaN)} ms`)]),
    notes: [
      "`settings` and `total` count from the start of Node.js, the others are durations. `modules` are loaded beside `postgresql`, and `certificate` is made beside `migrations`.",
    ],
    goals: kinds.map(({ name, median, limit }) => ({
      about: `start in ${name}`,
      bound: "at most",
      limit,
      value: median["total"] ?? Number.NaN,
      unit: " ms",
      reason: `${parts.map((part) => `${part} ${formatFigure(median[part] ?? Number.NaN)}`).join(", ")}. Tried: modules compiled once and kept, most of them loaded while PostgreSQL starts, one bundle (decision 0041)`,
      isCost: true,
    })),
    plot: {
      caption: "ms, less is better",
      bars: kinds.map(({ name, median, limit }) => {
        const total = median["total"] ?? Number.NaN;
        return { label: name, value: total, text: `${formatFigure(total)} ms`, goal: limit, isOurs: true };
      }),
    },
  };
}

function medianTimes(times: readonly StartTimes[]): StartTimes {
  const parts = Object.keys(times[0] ?? {});
  return Object.fromEntries(parts.map((part) => [part, medianOf(times.map((one) => one[part] ?? Number.NaN))]));
}
