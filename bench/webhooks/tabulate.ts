import { medianOf } from "../load/measure-rate.ts";
import { formatFigure, type Table } from "../report/table.ts";
import type { Latency } from "./latency.ts";

/** Deliveries per second, by contender, one value per round. */
export interface Rates {
  readonly endpoints: number;
  readonly rates: ReadonlyMap<string, readonly number[]>;
}

export interface Field {
  readonly limit: string;
  readonly subject: string;
  readonly peers: readonly string[];
  /** The contenders that did not run, and why. */
  readonly absent: ReadonlyMap<string, string>;
}

const GOALS = { ofLimit: 0.4, ofBestPeer: 2 };

export function tabulateRates(all: readonly Rates[], { limit, subject, peers, absent }: Field): Table {
  const compared = all.map(({ endpoints, rates }) => {
    const ratioTo = (name: string): number =>
      medianOf((rates.get(subject) ?? []).map((rate, round) => rate / (rates.get(name)?.[round] ?? Number.NaN)));
    const best = peers.toSorted((left, right) => medianOf(rates.get(right) ?? []) - medianOf(rates.get(left) ?? []))[0];
    return {
      label: `${endpoints.toLocaleString("en")} ${endpoints === 1 ? "endpoint" : "endpoints"}`,
      rateOf: (name: string) => medianOf(rates.get(name) ?? []),
      best,
      ratios: [
        { to: limit, value: ratioTo(limit), goal: GOALS.ofLimit },
        ...(best === undefined ? [] : [{ to: best, value: ratioTo(best), goal: GOALS.ofBestPeer }]),
      ],
      ratioTo,
    };
  });
  const names = [limit, subject, ...peers];
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
    goals: compared.flatMap(({ label, ratios }) =>
      ratios.map(({ to, value, goal }) => ({
        about: `${label}, to ${to}${to === limit ? "" : ", the best of the peers"}`,
        bound: "at least" as const,
        limit: goal,
        value,
        unit: "",
      })),
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
