import { medianOf } from "../load/measure-rate.ts";
import { type Bar, formatFigure, type Table } from "../report/table.ts";
import { type Figures, ratioOf } from "./measure.ts";
import type { Race, Results } from "./race.ts";

export interface Memory {
  readonly name: string;
  readonly idleBytes: number;
  /** The most until the end of the rounds: V8 may have collected just before. */
  readonly peakBytes: number;
  readonly databaseBytes: number;
}

const MB = 1024 * 1024;
/** The maximum cost of a read from the larger store, relative to the smaller one. */
const MAX_GROWTH = 1.3;
const MAX_IDLE_MEGABYTES = 160;
/** Memory under load, relative to the minimal server. */
const MAX_BUSY_TIMES_BARE = 1;
/** The most that the load generator may use of the machine. */
const MAX_LOAD_SHARE = 0.2;

const SECOND_IN_MICROSECONDS = 1_000_000;

/** Rates and the cost of a request: CPU of the server and of PostgreSQL in microseconds. */
export function tabulateRates(results: Results, names: readonly string[], { id, over, subject }: Race): Table {
  const perCore = [...results].map(([operation, figures]) => {
    const { serverCpu = [], databaseCpu = [] } = figures.get(subject) ?? {};
    return `${operation} ${format(SECOND_IN_MICROSECONDS / (medianOf(serverCpu) + medianOf(databaseCpu)))}`;
  });
  return {
    id: `${id}-rates`,
    title: `Tables over ${over}: requests a second, and the CPU of one`,
    head: ["requests/s · CPU per request (server + PostgreSQL)", ...names],
    rows: [...results].map(([operation, figures]) => [operation, ...names.map((name) => describe(figures.get(name)))]),
    notes: [],
    headline: `One core, PostgreSQL included, serves these requests a second over ${over}: ${perCore.join(", ")}`,
    goals: [],
    plot: {
      caption: "requests a second",
      bars: [...results].flatMap(([operation, figures]) =>
        names.map((name, at) => rateBar(`${operation}, ${name}`, figures.get(name), at === 0)),
      ),
    },
  };
}

/** Its CPU takes from what the servers have. */
export function tabulateLoad(results: Results, names: readonly string[], { id, over }: Race): Table {
  const shares = [...results].flatMap(([operation, figures]) =>
    names.map((name) => ({ operation, name, share: medianOf(figures.get(name)?.loadShares ?? []) })),
  );
  const largest = shares.toSorted((one, other) => other.share - one.share)[0];
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  return {
    id: `${id}-load`,
    title: `Tables over ${over}: the load generator's share of the machine`,
    head: ["", ...names],
    rows: [...results.keys()].map((operation) => [
      operation,
      ...shares.filter((one) => one.operation === operation).map(({ share }) => percent(share)),
    ]),
    notes: [],
    goals: [
      {
        about: `the load generator's share of the machine over ${over}, largest (${largest?.operation ?? ""}, ${largest?.name ?? ""})`,
        bound: "at most",
        limit: MAX_LOAD_SHARE,
        value: largest?.share ?? Number.NaN,
        unit: "",
      },
    ],
    plot: {
      caption: "share of all cores, less is better",
      bars: shares.map(({ operation, name, share }) => ({
        label: `${operation}, ${name}`,
        value: share,
        text: percent(share),
        goal: MAX_LOAD_SHARE,
        isOurs: false,
      })),
    },
  };
}

export function tabulateMemory(
  memories: readonly Memory[],
  { subject, bound }: Pick<Race, "subject" | "bound">,
): Table {
  const ours = memories.find(({ name }) => name === subject);
  const bare = memories.find(({ name }) => name === bound);
  const megabytes = (bytes: number | undefined): number => (bytes ?? Number.NaN) / MB;
  return {
    id: "rest-memory",
    title: "Tables: resident memory",
    head: ["", "idle, after the start", "32 busy connections, at most", "own memory of its database connections"],
    rows: memories.map(({ name, idleBytes, peakBytes, databaseBytes }) => [
      name,
      `${Math.round(idleBytes / MB)} MB`,
      `${Math.round(peakBytes / MB)} MB`,
      databaseBytes === 0 ? "–" : `${Math.round(databaseBytes / MB)} MB`,
    ]),
    notes: [],
    goals: [
      {
        about: "memory of the idle service",
        bound: "at most",
        limit: MAX_IDLE_MEGABYTES,
        value: megabytes(ours?.idleBytes),
        unit: " MB",
        reason: IDLE_MEMORY,
        isCost: true,
        history: "idle, MB",
      },
      {
        about: `most memory with 32 busy connections, to ${bound}`,
        bound: "at most",
        limit: MAX_BUSY_TIMES_BARE,
        value: megabytes(ours?.peakBytes) / megabytes(bare?.peakBytes),
        unit: "",
        reason: describeBusyMemory(memories),
        isCost: true,
      },
    ],
    plot: {
      caption: "MB of the server, less is better",
      bars: memories.map(({ name, peakBytes }, at) => ({
        label: name,
        value: peakBytes / MB,
        text: `${Math.round(peakBytes / MB)} MB`,
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

/** A server that does next to nothing shows what Node.js itself keeps for short-lived objects. */
const IDLE_MEMORY =
  "a full collection leaves 150 MB, of which 64 are pages of the Node.js program and 48 live objects, 18 of them source text of the modules and 13 compiled code. The rest is what the start has left, until the collection after a quiet minute, which this figure does not wait for: the part idle measures after it. Tried: that collection (decision 0040)";

function describeBusyMemory(memories: readonly Memory[]): string {
  const others = memories.flatMap(({ name, peakBytes }) =>
    name === "bare HTTPS" || name === "Express 5 + pg" ? [`${name} ${Math.round(peakBytes / MB)} MB`] : [],
  );
  return `beside it, on the same Node.js and under the same load, ${others.join(" and ")}. The service has the code of its modules and their compiled functions in addition. Tried: a collection in a quiet minute, which does not help while it is busy (decision 0040)`;
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
