import { medianOf } from "../load/measure-rate.ts";
import { formatFigure, type Goal, type Table } from "../report/table.ts";
import type { WriteCost, WriteCosts, WriteFloors } from "./measure-writes.ts";
import { HEARD_INSERT, PLAIN_INSERT } from "./write-cases.ts";

const MAX_WRITE_MICROSECONDS = 350;
const MAX_EVENT_MICROSECONDS = 30;
/** CPU of an insert relative to that of an agent. */
const MAX_TIMES_AGENT = 1.4;
const COMPARED_INSERTS: readonly string[] = ["messages, insert", "swarms, insert", "tools, insert"];
/** Smaller ones are within the spread of the rounds. */
const NAMED_TRIGGER_MICROSECONDS = 10;

/** PostgreSQL's CPU for a write, with what its triggers take of it. */
export function tabulateWrites({ writes, floors }: WriteCosts): Table {
  const costs = writes.map((write) => {
    const sorted = write.microseconds.toSorted((one, other) => one - other);
    return { ...write, median: medianOf(sorted), least: sorted[0] ?? Number.NaN };
  });
  const roundsOf = (label: string): readonly number[] =>
    writes.find((write) => write.label === label)?.microseconds ?? [];
  const plain = roundsOf(PLAIN_INSERT);
  const event = medianOf(roundsOf(HEARD_INSERT).map((heard, round) => heard - (plain[round] ?? Number.NaN)));
  return {
    id: "costs-writes",
    title: "Writes: CPU of PostgreSQL from begin to commit, one connection",
    head: ["µs", "median of the rounds", "least", "its largest triggers, by explain analyze"],
    rows: [
      ["a transaction of the user with `select 1`", formatFigure(floors.emptyMicroseconds), "", ""],
      ["the insert of a row into a table with only a primary key", formatFigure(floors.bareInsertMicroseconds), "", ""],
      ...costs.map((cost) => [cost.label, formatFigure(cost.median), formatFigure(cost.least), nameTriggers(cost)]),
      ["an event row (the difference that a subscriber makes)", formatFigure(event), "", ""],
    ],
    notes: [
      "The CPU time of the connection's process, with the statements of the service as the role of a user, the row returned. `explain analyze` adds the cost of its clock to every trigger, and does not see the deferred ones.",
    ],
    goals: [
      ...costs
        .filter(({ hasGoal }) => hasGoal)
        .map((cost): Goal => {
          return {
            about: `${cost.label}, PostgreSQL`,
            bound: "at most",
            limit: MAX_WRITE_MICROSECONDS,
            value: cost.median,
            unit: " µs",
            reason: describeParts(cost, cost.median, floors),
            isCost: true,
            ...(cost.label === PLAIN_INSERT && { history: "insert: PostgreSQL, µs" as const }),
          };
        }),
      ...costs
        .filter(({ label }) => COMPARED_INSERTS.includes(label))
        .map((cost): Goal => {
          const times = cost.microseconds.map((cpu, round) => cpu / (plain[round] ?? Number.NaN));
          return {
            about: `${cost.label}, PostgreSQL, to ${PLAIN_INSERT}`,
            bound: "at most",
            limit: MAX_TIMES_AGENT,
            value: medianOf(times),
            unit: "",
            reason: describeParts(cost, cost.median, floors),
            isCost: true,
          };
        }),
      {
        about: "an event row when someone listens, PostgreSQL",
        bound: "at most",
        limit: MAX_EVENT_MICROSECONDS,
        value: event,
        unit: " µs",
        reason: describeEvent(writes),
        isCost: true,
      },
    ],
    plot: {
      caption: "µs, less is better",
      bars: costs.map(({ label, median, hasGoal }) => ({
        label,
        value: median,
        text: `${formatFigure(median)} µs`,
        goal: hasGoal ? MAX_WRITE_MICROSECONDS : null,
        isOurs: true,
      })),
    },
  };
}

function nameTriggers({ triggers }: WriteCost): string {
  return [...triggers]
    .filter(([, microseconds]) => microseconds >= NAMED_TRIGGER_MICROSECONDS)
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, microseconds]) => `${name} ${Math.round(microseconds)}`)
    .join(", ");
}

/** The trigger finds out whether someone listens, and who may read the row, before it writes. */
function describeEvent(writes: readonly WriteCost[]): string {
  const ofTrigger = (label: string): string =>
    formatFigure(writes.find((write) => write.label === label)?.triggers.get("agents_emit_created") ?? Number.NaN);
  return `by explain analyze the trigger takes ${ofTrigger(HEARD_INSERT)} µs instead of ${ofTrigger(PLAIN_INSERT)}: the audience, the JSON of the event, its row with an index entry, and the notification`;
}

function describeParts(cost: WriteCost, median: number, floors: WriteFloors): string {
  const { emptyMicroseconds, bareInsertMicroseconds } = floors;
  const inTriggers = [...cost.triggers.values()].reduce((sum, microseconds) => sum + microseconds, 0);
  const bare = bareInsertMicroseconds - emptyMicroseconds;
  const rest = Math.max(0, median - bareInsertMicroseconds - inTriggers);
  return `the transaction and the settings of the user take ${formatFigure(emptyMicroseconds)}, a row with a primary key and its commit ${formatFigure(bare)}, triggers and foreign keys ${formatFigure(inTriggers)} (${nameTriggers(cost)}), the columns, other indexes, policies, checks and deferred triggers ${formatFigure(rest)}`;
}
