import { measureRate, medianOf } from "./measure-rate.ts";

export interface Contender {
  readonly name: string;
  readonly concurrency: number;
  /** The number of counted operations in one call of `work`. */
  readonly perCall: number;
  work(worker: number): Promise<void>;
}

export interface Comparison {
  readonly name: string;
  /** The subject of the measurement. */
  readonly subject: Contender;
  /** The reference that it is compared with. */
  readonly yardstick: Contender;
}

export interface Compared {
  readonly name: string;
  readonly subject: { readonly name: string; readonly rate: number };
  readonly yardstick: { readonly name: string; readonly rate: number };
  /** The median of the rounds, and their interquartile range as a measure of confidence. */
  readonly ratio: number;
  readonly middle: readonly [from: number, to: number];
}

const WARM_UP_MS = 200;

/** Both alternate, so that other load of the machine affects both; the ratio is the median of the rounds. */
export async function compare(
  { name, subject, yardstick }: Comparison,
  { rounds = 12, roundMs }: { readonly rounds?: number; readonly roundMs: number },
): Promise<Compared> {
  const rates = { subject: [] as number[], yardstick: [] as number[] };
  for (const contender of [subject, yardstick]) await runRound(contender, WARM_UP_MS);
  for (let round = 0; round < rounds; round += 1) {
    rates.subject.push(await runRound(subject, roundMs));
    rates.yardstick.push(await runRound(yardstick, roundMs));
  }
  const ratios = rates.subject.map((rate, round) => rate / (rates.yardstick[round] ?? Number.NaN));
  return {
    name,
    subject: { name: subject.name, rate: medianOf(rates.subject) },
    yardstick: { name: yardstick.name, rate: medianOf(rates.yardstick) },
    ratio: medianOf(ratios),
    middle: findMiddle(ratios),
  };
}

export function renderCompared({ name, subject, yardstick, ratio, middle: [from, to] }: Compared): string {
  return [
    name,
    `  ${formatRate(subject.rate)}/s  ${subject.name}`,
    `  ${formatRate(yardstick.rate)}/s  ${yardstick.name}`,
    `  ${ratio.toFixed(2).padStart(10)}    ratio, in the middle half of the rounds ${from.toFixed(2)} to ${to.toFixed(2)}`,
  ].join("\n");
}

async function runRound({ work, concurrency, perCall }: Contender, durationMs: number): Promise<number> {
  return perCall * (await measureRate(work, { concurrency, durationMs }));
}

/** From the first to the third quartile of the sorted ratios. */
function findMiddle(ratios: readonly number[]): [number, number] {
  const sorted = ratios.toSorted((left, right) => left - right);
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
  return [at(0.25), at(0.75)];
}

function formatRate(rate: number): string {
  return (rate < 1000 ? rate.toFixed(1) : String(Math.round(rate))).padStart(10);
}
