import { medianOf } from "../load/measure-rate.ts";
import type { Contender, WarmUp } from "./contender.ts";
import type { Operation } from "./operations.ts";
import { readCpuMicroseconds, subtractCpu } from "./process-usage.ts";

export interface Timing {
  readonly rounds: number;
  readonly roundMs: number;
  /** Warm-up before the rounds of an operation. */
  readonly warmUpMs: number;
  /** Warm-up before all rounds. */
  readonly firstWarmUpMs: WarmUp;
}

export interface Figures {
  /** Requests per second, one value per round. */
  readonly rates: number[];
  /** CPU per request of its own processes, and of PostgreSQL on its behalf. */
  readonly serverCpu: number[];
  readonly databaseCpu: number[];
  /** The load generator's share of the machine. */
  readonly loadShares: number[];
}

export interface MeasureOptions {
  readonly timing: Timing;
  /** The children of the postmaster do the work of the database. */
  readonly postmasterPid: number;
  /** Processes of PostgreSQL that serve other databases; whatever they do is not for this contender. */
  listOthers(database: string): Promise<readonly number[]>;
  onRound(contender: string): void;
}

/** All contenders alternate in every round, so that other load of the machine affects all of them. */
export async function measure(
  contenders: readonly Contender[],
  operation: Operation,
  { timing, postmasterPid, listOthers, onRound }: MeasureOptions,
): Promise<ReadonlyMap<string, Figures>> {
  const figures = new Map<string, Figures>();
  for (const { name } of contenders) figures.set(name, { rates: [], serverCpu: [], databaseCpu: [], loadShares: [] });
  for (const contender of contenders) {
    onRound(contender.name);
    await contender.run(operation, timing.warmUpMs);
  }
  for (let round = 0; round < timing.rounds; round += 1) {
    // In reverse order every other round, so that no contender always follows the same one.
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
      onRound(contender.name);
      const own = readCpuMicroseconds(contender.pids, null);
      const shared = readCpuMicroseconds([], postmasterPid);
      const { requests, seconds, loadShare } = await contender.run(operation, timing.roundMs);
      const its = figures.get(contender.name);
      its?.rates.push(requests / seconds);
      its?.serverCpu.push(subtractCpu(readCpuMicroseconds(contender.pids, null), own) / requests);
      its?.loadShares.push(loadShare);
      if (contender.database === null) {
        its?.databaseCpu.push(0);
        continue;
      }
      const later = readCpuMicroseconds([], postmasterPid);
      const others = new Set(await listOthers(contender.database));
      const serving = new Map([...later].filter(([pid]) => !others.has(pid)));
      its?.databaseCpu.push(subtractCpu(serving, shared) / requests);
    }
  }
  return figures;
}

/** The median of the ratios of rounds, which are adjacent in time. */
export function ratioOf(subject: Figures | undefined, yardstick: Figures | undefined): number {
  if (subject === undefined || yardstick === undefined) return Number.NaN;
  return medianOf(subject.rates.map((rate, round) => rate / (yardstick.rates[round] ?? Number.NaN)));
}

/** The median of the ratios of CPU per request in the server. */
export function cpuRatioOf(subject: Figures | undefined, yardstick: Figures | undefined): number {
  if (subject === undefined || yardstick === undefined) return Number.NaN;
  return medianOf(subject.serverCpu.map((cpu, round) => cpu / (yardstick.serverCpu[round] ?? Number.NaN)));
}
