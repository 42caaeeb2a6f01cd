import { measureRate, medianOf } from "./measure-rate.ts";

export interface Contender {
  readonly name: string;
  readonly concurrency: number;
  /** How many of what is counted one call of `work` does. */
  readonly perCall: number;
  work(worker: number): Promise<void>;
}

export interface Comparison {
  readonly name: string;
  /** What is measured. */
  readonly subject: Contender;
  /** What it is held against. */
  readonly yardstick: Contender;
}

const ROUNDS = 12;
const WARM_UP_MS = 200;

/** Both take turns, so that whatever else the machine does meets both; the ratio is the median of the rounds. */
export async function compare({ name, subject, yardstick }: Comparison, roundMs: number): Promise<string> {
  const rates = { subject: [] as number[], yardstick: [] as number[] };
  for (const contender of [subject, yardstick]) await runRound(contender, WARM_UP_MS);
  for (let round = 0; round < ROUNDS; round += 1) {
    rates.subject.push(await runRound(subject, roundMs));
    rates.yardstick.push(await runRound(yardstick, roundMs));
  }
  const ratios = rates.subject.map((rate, round) => rate / (rates.yardstick[round] ?? Number.NaN));
  return [
    name,
    `  ${formatRate(medianOf(rates.subject))}/s  ${subject.name}`,
    `  ${formatRate(medianOf(rates.yardstick))}/s  ${yardstick.name}`,
    `  ${medianOf(ratios).toFixed(2).padStart(10)}    ratio, in the middle half of ${ROUNDS} rounds ${formatMiddle(ratios)}`,
  ].join("\n");
}

async function runRound({ work, concurrency, perCall }: Contender, durationMs: number): Promise<number> {
  return perCall * (await measureRate(work, { concurrency, durationMs }));
}

/** From the quarter to the three quarters of the sorted ratios: how far the figure can be trusted. */
function formatMiddle(ratios: readonly number[]): string {
  const sorted = ratios.toSorted((left, right) => left - right);
  const at = (part: number): string => (sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN).toFixed(2);
  return `${at(0.25)} to ${at(0.75)}`;
}

function formatRate(rate: number): string {
  return (rate < 1000 ? rate.toFixed(1) : String(Math.round(rate))).padStart(10);
}
