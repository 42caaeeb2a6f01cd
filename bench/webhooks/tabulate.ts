import { medianOf } from "../load/measure-rate.ts";
import type { HistoryColumn } from "../report/history-columns.ts";
import { formatFigure, type Goal, type Table } from "../report/table.ts";
import type { Latency } from "./latency.ts";

/** Deliveries per second, by contender, one value per round. */
export interface Rates {
  readonly endpoints: number;
  readonly rates: ReadonlyMap<string, readonly number[]>;
  /** The same for the CPU of a delivery. */
  readonly cpu: ReadonlyMap<string, readonly DeliveryCpu[]>;
}

/** Microseconds of CPU. */
export interface DeliveryCpu {
  readonly sender: number;
  readonly database: number;
  readonly receiver: number;
}

export interface Field {
  readonly limit: string;
  readonly subject: string;
  readonly peers: readonly string[];
  /** The contenders that did not run, and why. */
  readonly absent: ReadonlyMap<string, string>;
}

const GOALS = { ofLimit: 0.45, ofPgBoss: 1.2 };
const PG_BOSS = "pg-boss";
/** The history shows one of the numbers of endpoints. */
const HISTORY_ENDPOINTS = 100;

const SECOND_IN_MICROSECONDS = 1_000_000;

function describeShown(
  { endpoints, rates, cpu }: Rates,
  { limit, subject, peers }: Pick<Field, "limit" | "subject" | "peers">,
): string {
  const used = cpu.get(subject) ?? [];
  const microseconds = medianOf(used.map(({ sender, database }) => sender + database));
  const rateOf = (name: string): number => medianOf(rates.get(name) ?? []);
  const ratios = [limit, ...peers].map((name) => `${name} ${(rateOf(subject) / rateOf(name)).toFixed(2)}`);
  return `One core, PostgreSQL included, makes ${formatFigure(SECOND_IN_MICROSECONDS / microseconds)} deliveries a second to ${labelOf(endpoints)}. Times as many as the others: ${ratios.join(", ")}`;
}

export function tabulateRates(all: readonly Rates[], { limit, subject, peers, absent }: Field): Table {
  const compared = all.map(({ endpoints, rates, cpu }) => {
    const ratioTo = (name: string): number =>
      medianOf((rates.get(subject) ?? []).map((rate, round) => rate / (rates.get(name)?.[round] ?? Number.NaN)));
    const isInHistory = endpoints === HISTORY_ENDPOINTS;
    const goalTo = (to: string, goal: number, column: HistoryColumn): Comparison => ({
      to,
      value: ratioTo(to),
      goal,
      reason: describeBound(to, cpu.get(subject), cpu.get(to)),
      ...(isInHistory && { history: column }),
    });
    return {
      label: labelOf(endpoints),
      rateOf: (name: string) => medianOf(rates.get(name) ?? []),
      ratios: [
        goalTo(limit, GOALS.ofLimit, "deliveries to bare POSTs"),
        ...(peers.includes(PG_BOSS) ? [goalTo(PG_BOSS, GOALS.ofPgBoss, "deliveries to pg-boss")] : []),
      ],
      ratioTo,
    };
  });
  const names = [limit, subject, ...peers];
  const shown = all.find(({ endpoints }) => endpoints === HISTORY_ENDPOINTS);
  return {
    id: "webhooks-rates",
    title: "Webhooks: deliveries a second",
    head: ["", ...names, ...absent.keys(), ...[limit, ...peers].map((name) => `${subject} to ${name}`)],
    rows: compared.map(({ label, rateOf, ratioTo }) => [
      label,
      ...names.map((name) => Math.round(rateOf(name)).toLocaleString("en")),
      ...[...absent.values()].map((reason) => `not run (${reason})`),
      ...[limit, ...peers].map((name) => ratioTo(name).toFixed(2)),
    ]),
    notes: [
      "The peers do less for a delivery: they sign once, keep one row of the attempt, and have neither a state to show nor fairness between endpoints.",
    ],
    ...(shown !== undefined && { headline: describeShown(shown, { limit, subject, peers }) }),
    goals: compared.flatMap(({ label, ratios }) =>
      ratios.map(
        ({ to, value, goal, reason, history }): Goal => ({
          about: `deliveries a second, ${label}, to ${to}`,
          bound: "at least",
          limit: goal,
          value,
          unit: "",
          reason,
          isCost: true,
          ...(history !== undefined && { history }),
        }),
      ),
    ),
    plot: {
      caption: "times as many deliveries a second; below 1 the other is faster",
      bars: compared.flatMap(({ label, ratios }) =>
        ratios.map(({ to, value, goal }) => ({
          label: `${label}, to ${to}`,
          value,
          text: value.toFixed(2),
          goal,
          isOurs: true,
        })),
      ),
    },
  };
}

/** Where the CPU of a delivery goes: rates on busy cores follow from the sum. */
export function tabulateDeliveryCpu(all: readonly Rates[], { limit, subject, peers }: Field): Table {
  const names = [limit, subject, ...peers];
  return {
    id: "webhooks-cpu",
    title: "Webhooks: CPU of a delivery, sender + PostgreSQL + receiver",
    head: ["", ...names],
    rows: all.map(({ endpoints, cpu }) => [labelOf(endpoints), ...names.map((name) => describeCpu(cpu.get(name)))]),
    notes: ["Waiting for the end of a round, which asks every 20 ms, is part of it. The CPU of Redis is not counted."],
    goals: [],
    plot: {
      caption: "µs of sender, PostgreSQL and receiver, less is better",
      bars: all.flatMap(({ endpoints, cpu }) =>
        names.map((name) => {
          const value = sumOf(medianCpu(cpu.get(name)));
          const isOurs = name === subject;
          return {
            label: `${labelOf(endpoints)}, ${name}`,
            value,
            text: `${formatFigure(value)} µs`,
            goal: null,
            isOurs,
          };
        }),
      ),
    },
  };
}

interface Comparison {
  readonly to: string;
  readonly value: number;
  readonly goal: number;
  readonly reason: string;
  readonly history?: HistoryColumn;
}

function labelOf(endpoints: number): string {
  return `${endpoints.toLocaleString("en")} ${endpoints === 1 ? "endpoint" : "endpoints"}`;
}

function medianCpu(rounds: readonly DeliveryCpu[] = []): DeliveryCpu {
  return {
    sender: medianOf(rounds.map(({ sender }) => sender)),
    database: medianOf(rounds.map(({ database }) => database)),
    receiver: medianOf(rounds.map(({ receiver }) => receiver)),
  };
}

function sumOf({ sender, database, receiver }: DeliveryCpu): number {
  return sender + database + receiver;
}

/** Where all cores are busy, rates are inverse to the CPU of a delivery. */
function describeBound(name: string, ours: readonly DeliveryCpu[] = [], others: readonly DeliveryCpu[] = []): string {
  const reachable = sumOf(medianCpu(others)) / sumOf(medianCpu(ours));
  return `a delivery takes ${describeCpu(ours)}, one of ${name} ${describeCpu(others)} (sender + PostgreSQL + receiver), which allows ${reachable.toFixed(2)} where all cores are busy`;
}

function describeCpu(rounds: readonly DeliveryCpu[] | undefined): string {
  const { sender, database, receiver } = medianCpu(rounds);
  return `${[sender, database, receiver].map((microseconds) => Math.round(microseconds)).join(" + ")} µs`;
}

export interface LatencyRow extends Latency {
  readonly label: string;
  readonly maxP99Ms: number;
}

export function tabulateLatencies(rows: readonly LatencyRow[], eventsPerSecond: number): Table {
  return {
    id: "webhooks-latency",
    title: `Webhooks: from the write to the receiver, ${eventsPerSecond} events a second`,
    head: ["", "p50", "p99", "longest", "goal for the p99"],
    rows: rows.map(({ label, p50Ms, p99Ms, maxMs, maxP99Ms }) => [
      label,
      ...[p50Ms, p99Ms, maxMs, maxP99Ms].map((ms) => `${formatFigure(ms)} ms`),
    ]),
    notes: [],
    goals: rows.map(({ label, p99Ms, maxP99Ms }) => ({
      about: `p99 of ${label}`,
      bound: "at most",
      limit: maxP99Ms,
      value: p99Ms,
      unit: " ms",
    })),
    plot: {
      caption: "ms, less is better",
      bars: rows.flatMap(({ label, p50Ms, p99Ms, maxP99Ms }) => [
        { label: `${label}, p50`, value: p50Ms, text: `${formatFigure(p50Ms)} ms`, goal: null, isOurs: true },
        { label: `${label}, p99`, value: p99Ms, text: `${formatFigure(p99Ms)} ms`, goal: maxP99Ms, isOurs: true },
      ]),
    },
  };
}
