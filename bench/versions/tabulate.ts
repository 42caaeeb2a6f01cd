import { medianOf } from "../load/measure-rate.ts";
import type { Table } from "../report/table.ts";

export interface RoundFigures {
  readonly perSecond: number;
  readonly p50Ms: number;
  /** CPU of one operation. */
  readonly serviceCpuMs: number;
  readonly databaseCpuMs: number;
  /** Resident memory of the service at the end of the round. */
  readonly memoryMb: number;
}

const FIGURES = [
  ["operations per second", ({ perSecond }: RoundFigures) => perSecond],
  ["p50, ms", ({ p50Ms }: RoundFigures) => p50Ms],
  ["CPU of the service, ms", ({ serviceCpuMs }: RoundFigures) => serviceCpuMs],
  ["CPU of PostgreSQL, ms", ({ databaseCpuMs }: RoundFigures) => databaseCpuMs],
  ["CPU of both, ms", ({ serviceCpuMs, databaseCpuMs }: RoundFigures) => serviceCpuMs + databaseCpuMs],
  ["memory of the service, MB", ({ memoryMb }: RoundFigures) => memoryMb],
] as const;

/** Both have the same number of rounds, and the rounds of one number ran one after the other. */
export function tabulateVersions(
  workload: string,
  before: readonly RoundFigures[],
  after: readonly RoundFigures[],
): Table {
  const rows = FIGURES.map(([name, read]) => {
    const ratios = after.map((figures, round) => read(figures) / read(before[round] ?? figures));
    const sorted = ratios.toSorted((one, other) => one - other);
    const quartile = (part: number): string =>
      (sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN).toFixed(2);
    return [
      name,
      medianOf(before.map(read)).toFixed(2),
      medianOf(after.map(read)).toFixed(2),
      medianOf(ratios).toFixed(2),
      `${quartile(0.25)} to ${quartile(0.75)}`,
    ];
  });
  return {
    id: `versions-${workload.replace(/\W+/g, "-")}`,
    title: `After and before: ${workload}`,
    head: ["", "before", "after", "ratio", "middle half of the rounds"],
    rows,
    notes: [],
    goals: [],
    plot: { caption: "", bars: [] },
  };
}
