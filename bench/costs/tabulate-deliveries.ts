import os from "node:os";
import { medianOf } from "../load/measure-rate.ts";
import { formatFigure, type Goal, type Table } from "../report/table.ts";
import { ENDPOINTS, EVENTS_PER_SECOND, type OperationCpu } from "./delivery-service.ts";
import type { DeliveryCosts } from "./measure-deliveries.ts";

const MAX_CPU_MS = 1.2;
const MAX_P50_MS = 15;
const MAX_P99_MS = 50;
const MAX_FAN_OUT_MICROSECONDS = 150;

/** From an accepted write to the recorded delivery: CPU of the service and of PostgreSQL, and the time. */
export function tabulateDeliveries({ unheard, delivered, fannedOut, drained, idleMsPerSecond }: DeliveryCosts): Table {
  const insert = summarize(unheard.agent);
  const whole = summarize(delivered.agent);
  const fanOut = summarize(fannedOut.agent);
  const p50Ms = medianOf(delivered.agent.map((round) => round.p50Ms));
  const p99Ms = medianOf(delivered.agent.map((round) => round.p99Ms));
  const idleMs = idleMsPerSecond / EVENTS_PER_SECOND;
  const parts = `an insert that nobody listens to takes ${describe(insert)}, the delivery ${describe({ serviceMs: whole.serviceMs - insert.serviceMs, databaseMs: whole.databaseMs - insert.databaseMs })} (service + PostgreSQL); ${formatFigure(1_000 * idleMs)} µs of each are the idle service's, divided by the rate`;
  const goal = (about: string, limit: number, value: number, unit: string, reason: string): Goal => ({
    about,
    bound: "at most",
    limit,
    value,
    unit,
    reason,
    isCost: true,
  });
  const busyShare = (sumOf(whole) * EVENTS_PER_SECOND) / 1_000 / os.availableParallelism();
  const late = `the time of the steps one after the other: insert, notification, fan-out, POST, record; service and PostgreSQL used ${Math.round(100 * busyShare)} % of the machine, which the sender and the receiver share`;
  return {
    id: "costs-deliveries",
    title: `Webhooks: from a write to its recorded delivery, ${EVENTS_PER_SECOND} events a second`,
    head: ["", "service", "PostgreSQL", "both", "p50", "p99"],
    rows: [
      ["an insert that nobody listens to", ...renderCpu(insert), "", ""],
      [
        "an insert with one endpoint, until its delivery is recorded",
        ...renderCpu(whole),
        `${formatFigure(p50Ms)} ms`,
        `${formatFigure(p99Ms)} ms`,
      ],
      [`one insert to ${ENDPOINTS} endpoints, a delivery`, ...renderCpu(fanOut), "", ""],
      ["an event of the app that nobody listens to", ...renderCpu(summarize(unheard.app)), "", ""],
      [
        "an event of the app with one endpoint, until its delivery is recorded",
        ...renderCpu(summarize(delivered.app)),
        `${formatFigure(medianOf(delivered.app.map((round) => round.p50Ms)))} ms`,
        `${formatFigure(medianOf(delivered.app.map((round) => round.p99Ms)))} ms`,
      ],
      [`one event of the app to ${ENDPOINTS} endpoints, a delivery`, ...renderCpu(summarize(fannedOut.app)), "", ""],
      [`a delivery of a full queue, ${ENDPOINTS} endpoints`, ...renderCpu(summarize(drained)), "", ""],
    ],
    notes: [
      `The service used ${formatFigure(idleMsPerSecond / 10)} % of a core without requests, which is part of all figures. The time counts from the moment at which a request was due to the transaction that records the delivery.`,
    ],
    goals: [
      {
        ...goal("an insert until its delivery is recorded, CPU in all", MAX_CPU_MS, sumOf(whole), " ms", parts),
        history: "write to delivery: CPU, ms",
      },
      goal("an insert until its delivery is recorded, p50", MAX_P50_MS, p50Ms, " ms", late),
      goal("an insert until its delivery is recorded, p99", MAX_P99_MS, p99Ms, " ms", late),
      goal(
        `one event to ${ENDPOINTS} endpoints, CPU of a delivery`,
        MAX_FAN_OUT_MICROSECONDS,
        1_000 * sumOf(fanOut),
        " µs",
        `${describe(fanOut)} in the service and in PostgreSQL: a row, two signatures, a POST over TLS, a recorded attempt, and its share of the insert. The event is alone in the queue; a full queue costs less, as the CPU of a delivery in the part webhooks shows`,
      ),
    ],
    plot: {
      caption: "ms of CPU, less is better",
      bars: [
        bar("insert, nobody listens", insert, null),
        bar("insert until recorded", whole, MAX_CPU_MS),
        bar(`a delivery of ${ENDPOINTS}`, fanOut, MAX_FAN_OUT_MICROSECONDS / 1_000),
      ],
    },
  };
}

export function summarize(rounds: readonly OperationCpu[]): OperationCpu {
  return {
    serviceMs: medianOf(rounds.map(({ serviceMs }) => serviceMs)),
    databaseMs: medianOf(rounds.map(({ databaseMs }) => databaseMs)),
  };
}

export function sumOf({ serviceMs, databaseMs }: OperationCpu): number {
  return serviceMs + databaseMs;
}

export function describe({ serviceMs, databaseMs }: OperationCpu): string {
  return `${formatFigure(1_000 * serviceMs)} + ${formatFigure(1_000 * databaseMs)} µs`;
}

export function renderCpu(cpu: OperationCpu): string[] {
  return [cpu.serviceMs, cpu.databaseMs, sumOf(cpu)].map((ms) => `${formatFigure(1_000 * ms)} µs`);
}

function bar(label: string, cpu: OperationCpu, goal: number | null): Table["plot"]["bars"][number] {
  return { label, value: sumOf(cpu), text: `${formatFigure(sumOf(cpu))} ms`, goal, isOurs: true };
}
