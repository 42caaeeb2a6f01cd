import { formatFigure, type Table } from "../report/table.ts";
import type { VictimCalls } from "./victim.ts";

export interface NeighbourFigures {
  readonly attack: string;
  /** The victim alone, directly before and after the attack. */
  readonly before: VictimCalls;
  readonly after: VictimCalls;
  readonly beside: VictimCalls;
  readonly memoryBeforeMib: number;
  readonly memoryPeakMib: number;
  /** The number of answers to the attacker, by status. */
  readonly answers: Readonly<Record<string, number>>;
}

const MAX_RATIO = 3;
/** Buffers of one large answer and of the connections fit into this; what grows with the attack does not. */
const MAX_GROWTH_MIB = 300;

const P50 = 0.5;
const P99 = 0.99;

/** The quantile of all calls of these measurements together. */
function quantileOf(part: number, ...measured: readonly VictimCalls[]): number {
  const times = measured.flatMap(({ timesMs }) => timesMs).sort((one, other) => one - other);
  return times[Math.floor((times.length - 1) * part)] ?? Number.NaN;
}

const formatMs = (ms: number): string => `${formatFigure(ms)} ms`;

function ratioOf({ before, beside, after }: NeighbourFigures): number {
  return quantileOf(P99, beside) / quantileOf(P99, before, after);
}

export function tabulateNeighbours(all: readonly NeighbourFigures[]): Table {
  return {
    id: "neighbours",
    title: "A victim with light reads and writes, alone and beside one attacker",
    head: [
      "beside",
      "p50 alone",
      "p50",
      "p99 before",
      "p99 after",
      "p99 alone",
      "p99",
      "ratio of p99",
      "failed calls",
      "memory before",
      "peak",
      "answers to the attacker",
    ],
    rows: all.map((figures) => [
      figures.attack,
      formatMs(quantileOf(P50, figures.before, figures.after)),
      formatMs(quantileOf(P50, figures.beside)),
      formatMs(quantileOf(P99, figures.before)),
      formatMs(quantileOf(P99, figures.after)),
      formatMs(quantileOf(P99, figures.before, figures.after)),
      formatMs(quantileOf(P99, figures.beside)),
      formatFigure(ratioOf(figures)),
      `${figures.beside.failures} of ${figures.beside.timesMs.length}`,
      `${formatFigure(figures.memoryBeforeMib)} MiB`,
      `${formatFigure(figures.memoryPeakMib)} MiB`,
      Object.entries(figures.answers)
        .map(([status, count]) => `${count} × ${status}`)
        .join(", "),
    ]),
    notes: [
      "Alone: all calls of the measurements directly before and after the attack together.",
      "Failed calls have a status of 500 or more or no answer. Status 0 of an answer to the attacker: none, mostly because the service closed the connection; 101: an idle connection was open.",
    ],
    goals: all.flatMap((figures) => [
      { about: `p99 beside ${figures.attack}`, bound: "at most", limit: MAX_RATIO, value: ratioOf(figures), unit: "" },
      {
        about: `failed calls beside ${figures.attack}`,
        bound: "at most",
        limit: 0,
        value: figures.beside.failures,
        unit: "",
      },
      {
        about: `growth of memory beside ${figures.attack}`,
        bound: "at most",
        limit: MAX_GROWTH_MIB,
        value: figures.memoryPeakMib - figures.memoryBeforeMib,
        unit: " MiB",
      },
    ]),
    plot: {
      caption: "p99 beside the attacker / alone, less is better",
      bars: all.map((figures) => ({
        label: figures.attack,
        value: ratioOf(figures),
        text: formatFigure(ratioOf(figures)),
        goal: MAX_RATIO,
        isOurs: true,
      })),
    },
  };
}
