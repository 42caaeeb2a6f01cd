import { medianOf } from "../load/measure-rate.ts";
import type { HistoryColumn } from "../report/history-columns.ts";
import { formatFigure, type Goal, type Table } from "../report/table.ts";
import { FLOORS } from "./contenders/floors.ts";
import { cpuRatioOf, type Figures } from "./measure.ts";
import { type Operation, READS } from "./operations.ts";
import type { Results } from "./race.ts";

/** CPU of the service relative to the minimal server. */
const MAX_TIMES_BARE = { read: 1.7, write: 1.8 };
const MAX_WRITE_MICROSECONDS = 350;
const HISTORY: Partial<Record<Operation, HistoryColumn>> = {
  "read one": "read one: CPU to bare",
  insert: "insert: CPU to bare",
};

export interface CostNames {
  readonly subject: string;
  readonly bound: string;
  readonly direct: string;
}

export type FloorFigures = ReadonlyMap<string, Figures>;

interface Cost {
  readonly label: string;
  readonly service: Figures | undefined;
  readonly bare: Figures | undefined;
  readonly direct: Figures | undefined;
  readonly maxTimesBare: number;
  readonly reason: string;
  readonly operation: Operation | null;
}

/** The CPU of one operation, in the service and in PostgreSQL, beside the minimal server. */
export function tabulateOperationCosts(
  results: Results,
  floors: FloorFigures,
  { subject, bound, direct }: CostNames,
): Table {
  const costs: Cost[] = [...results].map(([operation, figures]) => {
    const isRead = READS.includes(operation);
    return {
      label: operation,
      service: figures.get(subject),
      bare: figures.get(bound),
      direct: figures.get(direct),
      maxTimesBare: isRead ? MAX_TIMES_BARE.read : MAX_TIMES_BARE.write,
      reason: describeOwnShare(figures.get(subject), figures.get(bound), floors),
      operation,
    };
  });
  costs.push({
    label: "GET /auth/v1/user",
    service: floors.get(FLOORS.user),
    bare: floors.get(FLOORS.bareUser),
    direct: undefined,
    maxTimesBare: MAX_TIMES_BARE.read,
    reason: describeOwnShare(floors.get(FLOORS.user), floors.get(FLOORS.bareUser), floors),
    operation: null,
  });
  return {
    id: "rest-costs",
    title: "Tables: CPU of an operation over TLS",
    head: ["µs", "service", bound, "service to it", "PostgreSQL", `PostgreSQL, ${direct}`],
    rows: costs.map(({ label, service, bare, direct: alone }) => [
      label,
      formatFigure(serverOf(service)),
      formatFigure(serverOf(bare)),
      cpuRatioOf(service, bare).toFixed(2),
      formatFigure(databaseOf(service)),
      formatFigure(databaseOf(alone)),
    ]),
    notes: [
      "PostgreSQL is every process that serves the database of the contender, and those that serve all: the connections, the feed of realtime, the writers of the log. Connections that wait for each other, and for the cores, cost more than one connection alone, which `npm run bench -- costs` measures.",
    ],
    goals: [...costs.map(describeServiceGoal), ...costs.flatMap(describeDatabaseGoal)],
    plot: {
      caption: `CPU of the service, times that of ${bound}; less is better`,
      bars: costs.map(({ label, service, bare, maxTimesBare }) => {
        const times = cpuRatioOf(service, bare);
        return { label, value: times, text: times.toFixed(2), goal: maxTimesBare, isOurs: true };
      }),
    },
  };
}

/** What a read consists of, from the servers that do less and less. */
export function tabulateFloors(floors: FloorFigures, { subject, bound }: CostNames): Table {
  const { nothing, statement, bare, health, service } = readSteps(floors, { subject, bound });
  const steps: [string, number, number][] = [
    ["HTTPS of Node.js, a constant answer", nothing, nothing],
    ["and a trivial statement", statement - nothing, statement],
    [`instead of it the transaction of the user (${bound})`, bare - statement, bare],
    ["HTTP of the service (its GET /health to the constant answer)", health - nothing, bare + health - nothing],
    ["token, limits, parsing, choice of the statement, headers", service - bare - (health - nothing), service],
  ];
  return {
    id: "rest-floors",
    title: "Tables: what reading one row consists of, CPU of the server",
    head: ["", "µs", "in all"],
    rows: steps.map(([label, own, sum]) => [label, formatFigure(own), formatFigure(sum)]),
    notes: ["The session of the token is checked inside the transaction, so the minimal server has it too."],
    goals: [],
    plot: {
      caption: "µs, less is better",
      bars: steps.map(([label, own]) => ({
        label,
        value: own,
        text: `${formatFigure(own)} µs`,
        goal: null,
        isOurs: true,
      })),
    },
  };
}

function readSteps(floors: FloorFigures, { subject, bound }: Pick<CostNames, "subject" | "bound">) {
  const of = (name: string): number => serverOf(floors.get(name));
  return {
    nothing: of(FLOORS.noStatement),
    statement: of(FLOORS.oneStatement),
    bare: of(bound),
    health: of(FLOORS.health),
    service: of(subject),
  };
}

function describeServiceGoal({ label, service, bare, maxTimesBare, reason, operation }: Cost): Goal {
  const history = operation === null ? undefined : HISTORY[operation];
  return {
    about: `${label}, CPU of the service to bare HTTPS`,
    bound: "at most",
    limit: maxTimesBare,
    value: cpuRatioOf(service, bare),
    unit: "",
    reason,
    isCost: true,
    ...(history !== undefined && { history }),
  };
}

function describeDatabaseGoal({ label, service, direct, operation }: Cost): Goal[] {
  if (operation === null || READS.includes(operation)) return [];
  return [
    {
      about: `${label} of an agent, PostgreSQL with 32 connections`,
      bound: "at most",
      limit: MAX_WRITE_MICROSECONDS,
      value: databaseOf(service),
      unit: " µs",
      reason: `the same statements without HTTP take ${formatFigure(databaseOf(direct))} µs with as many connections`,
      isCost: true,
    },
  ];
}

/** Where the service's own CPU goes, measured on requests that do less. */
function describeOwnShare(service: Figures | undefined, bare: Figures | undefined, floors: FloorFigures): string {
  const own = serverOf(service) - serverOf(bare);
  const http = serverOf(floors.get(FLOORS.health)) - serverOf(floors.get(FLOORS.noStatement));
  return `${formatFigure(serverOf(service))} µs are ${formatFigure(serverOf(bare))} of the minimal server and ${formatFigure(own)} of the service, ${formatFigure(http)} of them for HTTP (GET /health takes as much more than a constant answer)`;
}

function serverOf(figures: Figures | undefined): number {
  return medianOf(figures?.serverCpu ?? []);
}

function databaseOf(figures: Figures | undefined): number {
  return medianOf(figures?.databaseCpu ?? []);
}
