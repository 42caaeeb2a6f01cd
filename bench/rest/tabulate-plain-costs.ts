import { medianOf } from "../load/measure-rate.ts";
import { formatFigure, type Goal, type Table } from "../report/table.ts";
import { cpuRatioOf, type Figures } from "./measure.ts";
import type { Operation } from "./operations.ts";
import type { Race, Results } from "./race.ts";

/** CPU of the service relative to the minimal server. */
const MAX_TIMES_BARE: Partial<Record<Operation, number>> = { "read one": 1.7, insert: 1.8 };
/** CPU of server and database relative to the durable rival. */
const MAX_TIMES_DURABLE: Partial<Record<Operation, number>> = { insert: 1.05 };
const TRIED_HTTP =
  "Tried: Node.js without a framework took GET /health to 0.85 to 0.91 of its CPU, a read to 0.90 to 0.99 and an insert to 0.92 to 1.03; stages without promises 0.99 and 1.13; headers are read once (decision 0039)";
const TRIED_INSERT =
  "Tried: the membership of the owner as one statement without triggers of its own 1.01, limits that are exact only near the limit no gain, a feed that decodes only what somebody follows 0.92 in PostgreSQL and 0.78 in the service, left out because the first socket would wait for its slot (decisions 0018 and 0038)";

/** The CPU of an operation without TLS, beside a server that only forwards transactions and a rival that is as durable. */
export function tabulatePlainCosts(results: Results, { subject, bound }: Race, durable: string): Table {
  const costs = [...results].map(([operation, figures]) => {
    const of = (name: string): Cost => costOf(figures.get(name));
    const times = cpuRatioOf(figures.get(subject), figures.get(bound));
    const timesDurable = medianOf(
      allOf(figures.get(subject)).map((cpu, round) => cpu / (allOf(figures.get(durable))[round] ?? Number.NaN)),
    );
    return { operation, ours: of(subject), bare: of(bound), durable: of(durable), times, timesDurable };
  });
  return {
    id: "rest-plain-costs",
    title: "Tables: CPU of an operation over plain HTTP",
    head: ["µs, server + database", subject, bound, durable, `service to ${bound}`, `all to ${durable}`],
    rows: costs.map((cost) => [
      cost.operation,
      ...[cost.ours, cost.bare, cost.durable].map(
        ({ server, database }) => `${formatFigure(server)} + ${formatFigure(database)}`,
      ),
      cost.times.toFixed(2),
      cost.timesDurable.toFixed(2),
    ]),
    notes: ["PocketBase has its database in its own process."],
    goals: costs.flatMap(({ operation, ours, bare, times, timesDurable }): Goal[] => {
      const toBare = MAX_TIMES_BARE[operation];
      const toDurable = MAX_TIMES_DURABLE[operation];
      const goal = (about: string, limit: number | undefined, value: number, reason: string): Goal[] =>
        limit === undefined
          ? []
          : [
              {
                about: `${operation} over plain HTTP, ${about}`,
                bound: "at most",
                limit,
                value,
                unit: "",
                reason,
                isCost: true,
              },
            ];
      return [
        ...goal(
          `CPU of the service to ${bound}`,
          toBare,
          times,
          `${formatFigure(ours.server)} µs are ${formatFigure(bare.server)} of the minimal server and ${formatFigure(ours.server - bare.server)} of the service. ${TRIED_HTTP}`,
        ),
        ...goal(
          `CPU of service and database to ${durable}`,
          toDurable,
          timesDurable,
          `${formatFigure(ours.server)} µs are of the service, ${formatFigure(ours.database)} of PostgreSQL. ${TRIED_INSERT}`,
        ),
      ];
    }),
    plot: {
      caption: "µs of CPU, less is better",
      bars: costs.flatMap(({ operation, ours, durable: rival }) =>
        [ours, rival].map(({ server, database }, at) => ({
          label: `${operation}, ${at === 0 ? subject : durable}`,
          value: server + database,
          text: `${formatFigure(server + database)} µs`,
          goal: null,
          isOurs: at === 0,
        })),
      ),
    },
  };
}

interface Cost {
  readonly server: number;
  readonly database: number;
}

function costOf(figures: Figures | undefined): Cost {
  return { server: medianOf(figures?.serverCpu ?? []), database: medianOf(figures?.databaseCpu ?? []) };
}

function allOf(figures: Figures | undefined): readonly number[] {
  return figures?.serverCpu.map((cpu, round) => cpu + (figures.databaseCpu[round] ?? Number.NaN)) ?? [];
}
