import { medianOf } from "../load/measure-rate.ts";
import { type Figures, ratioOf } from "./measure.ts";
import type { Operation } from "./operations.ts";

export type Results = ReadonlyMap<Operation, ReadonlyMap<string, Figures>>;

export interface Memory {
  readonly name: string;
  readonly serverBytes: number;
  readonly databaseBytes: number;
}

const MB = 1024 * 1024;

/** How often faster the subject is than each of the others. */
export function renderRatios(results: Results, subject: string, others: readonly string[]): string {
  const rows = [...results].map(([operation, figures]) => [
    operation,
    ...others.map((name) => ratioOf(figures.get(subject), figures.get(name)).toFixed(2)),
  ]);
  return renderTable([`${subject} to …`, ...others], rows);
}

/** Rates, and what a request costs: CPU of the server and of PostgreSQL in microseconds. */
export function renderCosts(results: Results, names: readonly string[]): string {
  const rows = [...results].map(([operation, figures]) => [
    operation,
    ...names.map((name) => describe(figures.get(name))),
  ]);
  return renderTable(["requests/s · CPU per request (server + PostgreSQL)", ...names], rows);
}

export function renderMemory(memories: readonly Memory[]): string {
  const rows = memories.map(({ name, serverBytes, databaseBytes }) => [
    name,
    `${Math.round(serverBytes / MB)} MB`,
    databaseBytes === 0 ? "–" : `${Math.round(databaseBytes / MB)} MB`,
  ]);
  return renderTable(["resident memory", "server", "own memory of its database connections"], rows);
}

/** What the same request costs in a larger store: the rate in the smaller to that in the larger. */
export function renderGrowth(results: Results, smaller: string, larger: string): string {
  const rows = [...results].map(([operation, figures]) => [
    operation,
    describe(figures.get(smaller)),
    describe(figures.get(larger)),
    ratioOf(figures.get(smaller), figures.get(larger)).toFixed(2),
  ]);
  return renderTable(["requests/s · CPU per request", smaller, larger, "times as dear"], rows);
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

function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, at) => (at === 0 ? "---" : "---:"));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}
