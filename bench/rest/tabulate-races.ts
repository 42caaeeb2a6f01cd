import type { Goal, Table } from "../report/table.ts";
import { ratioOf } from "./measure.ts";
import type { Race, Results } from "./race.ts";

/** The share of the minimal server's rate that the service should reach. */
const BOUND_SHARE = 0.85;

/** How many times as fast the subject is as each of the others. */
export function tabulateRatios(results: Results, { id, over, subject, bound, rivals }: Race, about: string): Table {
  const ratios = [...results].flatMap(([operation, figures]) =>
    rivals.map(({ name, goal, history = {} }) => {
      const ratio = ratioOf(figures.get(subject), figures.get(name));
      const reachable = ratioOf(figures.get(bound), figures.get(name));
      return { operation, name, ratio, limit: goal ?? BOUND_SHARE * reachable, reachable, history: history[operation] };
    }),
  );
  return {
    id: `${id}-ratios`,
    title: `Tables over ${over}: how many times as fast as …`,
    head: [
      `${subject} to …`,
      ...rivals.map(({ name, goal }) => `${name} (goal ${goal ?? `${BOUND_SHARE} of ${bound}`})`),
    ],
    rows: [...results.keys()].map((operation) => [
      operation,
      ...ratios.filter((one) => one.operation === operation).map(({ ratio }) => ratio.toFixed(2)),
    ]),
    notes: [`${about}.`],
    headline: `Times as many requests a second over ${over} as the others: ${rivals.map(({ name }) => `${name} (${describeRatios(ratios.filter((one) => one.name === name))})`).join(", ")}`,
    goals: ratios.map(({ operation, name, ratio, limit, reachable, history }): Goal => {
      return {
        about: `${operation} over ${over}, to ${name}`,
        bound: "at least",
        limit,
        value: ratio,
        unit: "",
        reason: `${bound} reaches ${reachable.toFixed(2)}`,
        ...(history !== undefined && { history }),
      };
    }),
    plot: {
      caption: "times as many requests a second; below 1 the other is faster",
      bars: ratios.map(({ operation, name, ratio, limit }) => ({
        label: `${operation}, to ${name}`,
        value: ratio,
        text: ratio.toFixed(2),
        goal: limit,
        isOurs: true,
      })),
    },
  };
}

function describeRatios(ratios: readonly { readonly operation: string; readonly ratio: number }[]): string {
  return ratios.map(({ operation, ratio }) => `${operation} ${ratio.toFixed(2)}`).join(", ");
}

/** The rate of the minimal server, and the share of it that the subject reaches. */
export function tabulateBound(results: Results, { id, over, subject, bound, rivals }: Race): Table {
  const rows = [...results].map(([operation, figures]) => ({
    operation,
    share: ratioOf(figures.get(subject), figures.get(bound)),
    ratios: rivals.map(({ name }) => ratioOf(figures.get(bound), figures.get(name))),
  }));
  return {
    id: `${id}-bound`,
    title: `Tables over ${over}: the rate of a server that only forwards transactions`,
    head: [`${bound} to …`, ...rivals.map(({ name }) => name), `${subject} to ${bound}`],
    rows: rows.map(({ operation, share, ratios }) => [
      operation,
      ...[...ratios, share].map((ratio) => ratio.toFixed(2)),
    ]),
    notes: [
      "Node's own server with the same transactions behind it, which knows no token, no limit and no query. A goal above its figure is out of reach on this machine, where load, server and PostgreSQL share the cores.",
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
