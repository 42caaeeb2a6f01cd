import { medianOf } from "../load/measure-rate.ts";
import { type Bar, formatFigure, type Goal, type Table } from "../report/table.ts";
import { type Figures, ratioOf } from "./measure.ts";
import type { Operation } from "./operations.ts";

export type Results = ReadonlyMap<Operation, ReadonlyMap<string, Figures>>;

export interface Memory {
  readonly name: string;
  readonly serverBytes: number;
  readonly databaseBytes: number;
}

const MB = 1024 * 1024;
/** The maximum cost of a read from the larger store, relative to the smaller one. */
const MAX_GROWTH = 1.3;

export interface Rival {
  readonly name: string;
  /** How many times faster the service should be. */
  readonly goal: number;
}

/** How many times faster the subject is than each of the others. */
export function tabulateRatios(results: Results, subject: string, rivals: readonly Rival[], about: string): Table {
  const ratios = [...results].flatMap(([operation, figures]) =>
    rivals.map(({ name, goal }) => ({
      operation,
      name,
      goal,
      ratio: ratioOf(figures.get(subject), figures.get(name)),
    })),
  );
  return {
    id: "rest-ratios",
    title: "Tables: how many times as fast as …",
    head: [`${subject} to …`, ...rivals.map(({ name, goal }) => `${name} (goal ${goal})`)],
    rows: [...results.keys()].map((operation) => [
      operation,
      ...ratios.filter((one) => one.operation === operation).map(({ ratio }) => ratio.toFixed(2)),
    ]),
    notes: [`${about}.`],
    goals: ratios.map(({ operation, name, goal, ratio }): Goal => {
      return { about: `${operation} to ${name}`, bound: "at least", limit: goal, value: ratio, unit: "" };
    }),
    plot: {
      caption: "times as many requests a second; below 1 the other is faster",
      bars: ratios.map(({ operation, name, goal, ratio }) => ({
        label: `${operation}, to ${name}`,
        value: ratio,
        text: ratio.toFixed(2),
        goal,
        isOurs: true,
      })),
    },
  };
}

/** The rate of the minimal server, and the share of it that the subject reaches. */
export function tabulateBound(
  results: Results,
  names: { subject: string; bound: string; rivals: readonly Rival[] },
): Table {
  const { subject, bound, rivals } = names;
  const rows = [...results].map(([operation, figures]) => ({
    operation,
    share: ratioOf(figures.get(subject), figures.get(bound)),
    ratios: rivals.map(({ name }) => ratioOf(figures.get(bound), figures.get(name))),
  }));
  return {
    id: "rest-bound",
    title: "Tables: the rate of a server that only forwards transactions",
    head: [`${bound} to …`, ...rivals.map(({ name, goal }) => `${name} (goal ${goal})`), `${subject} to ${bound}`],
    rows: rows.map(({ operation, share, ratios }) => [
      operation,
      ...[...ratios, share].map((ratio) => ratio.toFixed(2)),
    ]),
    notes: [
      "Node's own HTTPS server with the same transactions behind it, which knows no token, no limit and no query. A goal above its figure is out of reach on this machine, where load, server and PostgreSQL share the cores.",
    ],
    goals: [],
    plot: {
      caption: `of the rate of ${bound}`,
      bars: rows.map(({ operation, share }) => ({
        label: operation,
        value: share,
        text: share.toFixed(2),
        goal: null,
        isOurs: true,
      })),
    },
  };
}

/** Rates and the cost of a request: CPU of the server and of PostgreSQL in microseconds. */
export function tabulateCosts(results: Results, names: readonly string[]): Table {
  return {
    id: "rest-rates",
    title: "Tables: requests a second, and the CPU of one",
    head: ["requests/s · CPU per request (server + PostgreSQL)", ...names],
    rows: [...results].map(([operation, figures]) => [operation, ...names.map((name) => describe(figures.get(name)))]),
    notes: [],
    goals: [],
    plot: {
      caption: "requests a second",
      bars: [...results].flatMap(([operation, figures]) =>
        names.map((name, at) => rateBar(`${operation}, ${name}`, figures.get(name), at === 0)),
      ),
    },
  };
}

export function tabulateMemory(memories: readonly Memory[]): Table {
  return {
    id: "rest-memory",
    title: "Tables: resident memory",
    head: ["", "server", "own memory of its database connections"],
    rows: memories.map(({ name, serverBytes, databaseBytes }) => [
      name,
      `${Math.round(serverBytes / MB)} MB`,
      databaseBytes === 0 ? "–" : `${Math.round(databaseBytes / MB)} MB`,
    ]),
    notes: [],
    goals: [],
    plot: {
      caption: "MB of the server, less is better",
      bars: memories.map(({ name, serverBytes }, at) => ({
        label: name,
        value: serverBytes / MB,
        text: `${Math.round(serverBytes / MB)} MB`,
        goal: null,
        isOurs: at === 0,
      })),
    },
  };
}

/** The cost of the same request in a larger store: the rate in the smaller to that in the larger. */
export function tabulateGrowth(results: Results, smaller: string, larger: string): Table {
  const grown = [...results].map(([operation, figures]) => ({
    operation,
    figures,
    times: ratioOf(figures.get(smaller), figures.get(larger)),
  }));
  return {
    id: "rest-growth",
    title: "Tables: the same reads with more rows stored",
    head: ["requests/s · CPU per request", smaller, larger, `times as dear (goal at most ${MAX_GROWTH})`],
    rows: grown.map(({ operation, figures, times }) => [
      operation,
      describe(figures.get(smaller)),
      describe(figures.get(larger)),
      times.toFixed(2),
    ]),
    notes: [],
    goals: grown.map(({ operation, times }) => ({
      about: `${operation} from the larger store`,
      bound: "at most",
      limit: MAX_GROWTH,
      value: times,
      unit: " times the cost",
    })),
    plot: {
      caption: "times as dear in the larger store, less is better",
      bars: grown.map(({ operation, times }) => ({
        label: operation,
        value: times,
        text: times.toFixed(2),
        goal: MAX_GROWTH,
        isOurs: true,
      })),
    },
  };
}

function rateBar(label: string, figures: Figures | undefined, isOurs: boolean): Bar {
  const rate = figures === undefined ? Number.NaN : medianOf(figures.rates);
  return { label, value: rate, text: formatFigure(rate), goal: null, isOurs };
}

function describe(figures: Figures | undefined): string {
  if (figures === undefined) return "–";
  const [rate, server, database] = [figures.rates, figures.serverCpu, figures.databaseCpu].map((list) =>
    medianOf(list),
  );
  return `${format(rate)} · ${format(server)}${database === 0 ? "" : ` + ${format(database)}`} µs`;
}

function format(value: number | undefined): string {
  return value === undefined ? "–" : Math.round(value).toLocaleString("en");
}
