import { medianOf } from "../load/measure-rate.ts";
import { formatFigure, type Goal, type Table } from "../report/table.ts";
import { ENDPOINTS, EVENTS_PER_SECOND, type OperationCpu } from "./delivery-service.ts";
import type { DeliveryCosts } from "./measure-deliveries.ts";
import { describe, summarize, sumOf } from "./tabulate-deliveries.ts";

const MAX_EVENT_RATIO = 0.6;
const MAX_DELIVERY_RATIO = 0.9;
const MAX_P50_MS = 15;

interface Pair {
  readonly about: string;
  readonly before: readonly OperationCpu[];
  readonly after: readonly OperationCpu[];
  /** Of the ratio; null: none. */
  readonly limit: number | null;
}

/** Both have the same number of rounds, and the rounds of one number ran one after the other. */
export function compareDeliveries(before: DeliveryCosts, after: DeliveryCosts): Table {
  const compared = listPairs(before, after).map((pair) => ({ ...pair, ratios: findRatios(pair) }));
  const accepted = summarize(after.unheard.app);
  const recorded = summarize(after.delivered.app);
  const delivery = {
    serviceMs: recorded.serviceMs - accepted.serviceMs,
    databaseMs: recorded.databaseMs - accepted.databaseMs,
  };
  const parts = `to accept an event that nobody listens to takes ${describe(accepted)}, the rest ${describe(delivery)} (service + PostgreSQL); decision 0030 names what both consist of`;
  const [p50Before, p50After] = [before.delivered.agent, after.delivered.app].map((rounds) =>
    medianOf(rounds.map(({ p50Ms }) => p50Ms)),
  ) as [number, number];
  return {
    id: "costs-compared",
    title: "Deliveries: CPU of the version before and of this one, in turns",
    head: ["service + PostgreSQL", "before", "after", "ratio", "of the rounds"],
    rows: [
      ...compared.map(({ about, before: earlier, after: later, ratios }) => [
        about,
        describe(summarize(earlier)),
        describe(summarize(later)),
        formatFigure(medianOf(ratios)),
        ratios.map(formatFigure).join(", "),
      ]),
      [
        "p50 of the first row",
        `${formatFigure(p50Before)} ms`,
        `${formatFigure(p50After)} ms`,
        formatFigure(p50After / p50Before),
        "",
      ],
    ],
    notes: [],
    goals: [
      ...compared.flatMap(({ about, limit, ratios }): Goal[] =>
        limit === null
          ? []
          : [{ about, bound: "at most", limit, value: medianOf(ratios), unit: "", reason: parts, isCost: true }],
      ),
      {
        about: "an event of the app until its delivery is recorded, p50",
        bound: "at most",
        limit: MAX_P50_MS,
        value: p50After,
        unit: " ms",
        isCost: true,
      },
    ],
    plot: { caption: "", bars: [] },
  };
}

/** What an event of the app costs is compared with what an insert cost before there were events of the app. */
function listPairs(before: DeliveryCosts, after: DeliveryCosts): readonly Pair[] {
  const delivered = `until its delivery is recorded, ${EVENTS_PER_SECOND} a second`;
  const crowd = `to ${ENDPOINTS} endpoints, a delivery`;
  return [
    {
      about: `an event of the app, beside an insert before, ${delivered}`,
      before: before.delivered.agent,
      after: after.delivered.app,
      limit: MAX_EVENT_RATIO,
    },
    {
      about: `an insert, ${delivered}`,
      before: before.delivered.agent,
      after: after.delivered.agent,
      limit: null,
    },
    {
      about: "an insert that nobody listens to",
      before: before.unheard.agent,
      after: after.unheard.agent,
      limit: null,
    },
    {
      about: `one event of the app, beside an insert before, ${crowd}`,
      before: before.fannedOut.agent,
      after: after.fannedOut.app,
      limit: MAX_DELIVERY_RATIO,
    },
    { about: `one insert ${crowd}`, before: before.fannedOut.agent, after: after.fannedOut.agent, limit: null },
    {
      about: `a delivery of a full queue, ${ENDPOINTS} endpoints`,
      before: before.drained,
      after: after.drained,
      limit: MAX_DELIVERY_RATIO,
    },
  ];
}

function findRatios({ before, after }: Pair): number[] {
  return after.map((cpu, round) => sumOf(cpu) / sumOf(before[round] ?? cpu));
}
