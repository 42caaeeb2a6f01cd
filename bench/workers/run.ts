import { parseArgs } from "node:util";
import { LENGTH_OPTIONS, pickLength } from "../load/length.ts";
import { measureRate, medianOf } from "../load/measure-rate.ts";
import { openReport } from "../report/report.ts";
import type { Goal } from "../report/table.ts";
import { createProgress } from "../rest/progress.ts";
import { type CpuShares, readCpuShares, subtractShares, sumShares } from "./cpu-shares.ts";
import { NO_LIMIT, type Operation, OPERATIONS, type Service, startService } from "./start-service.ts";

const { values } = parseArgs({
  options: {
    ...LENGTH_OPTIONS,
    json: { type: "string" },
    uncounted: { type: "boolean", default: false },
  },
});
/** The first one warms up. */
const ROUNDS = pickLength(values, { smoke: 2, quick: 3, full: 8 });
const DURATION_MS = pickLength(values, { smoke: 200, quick: 1_500, full: 4_000 });
/** For each process that serves, so that all of them are equally busy. */
const CONNECTIONS_PER_PROCESS = 16;
/** The least part of the rate of two processes that share nothing that two workers must reach, by processor time. */
const MIN_GROWTH = 0.8;
/** Counted, as in production, and never reached; 0 shows what counting costs. */
const LIMIT_API = values.uncounted ? "0" : NO_LIMIT;

const NAMES = ["one process", "two that share nothing", "two workers"] as const;
type Name = (typeof NAMES)[number];

interface Round {
  readonly rate: number;
  /** Processor seconds per second. */
  readonly shares: CpuShares;
  readonly serviceMicroseconds: number;
  readonly databaseMicroseconds: number;
}

async function measure(services: readonly Service[], operation: Operation): Promise<Round> {
  const loads = services.flatMap((service) => service.loads);
  const readAll = (): CpuShares => sumShares(services.map(({ pid }) => readCpuShares(pid)));
  const before = readAll();
  const startedAt = performance.now();
  const work = async (at: number): Promise<void> => {
    const load = loads[at];
    const status = await load?.connection.send(load.requests[operation]);
    if (status !== 200 && status !== 201) throw new Error(`${operation} was answered with ${status}`);
  };
  const rate = await measureRate(work, { concurrency: loads.length, durationMs: DURATION_MS });
  const seconds = (performance.now() - startedAt) / 1000;
  const shares = subtractShares(readAll(), before, seconds);
  const perRequest = (share: number): number => (share / rate) * 1_000_000;
  return {
    rate,
    shares,
    serviceMicroseconds: perRequest(shares.primary + shares.workers),
    databaseMicroseconds: perRequest(shares.database),
  };
}

const progress = createProgress(process.stderr);
progress.stage("services start");
const start = (workers: number): Promise<Service> =>
  startService(workers, workers * CONNECTIONS_PER_PROCESS, LIMIT_API);
const [first, second, withWorkers] = await Promise.all([start(1), start(1), start(2)]);
const contenders: Readonly<Record<Name, readonly Service[]>> = {
  "one process": [first],
  "two that share nothing": [first, second],
  "two workers": [withWorkers],
};
const rounds = new Map<string, Round[]>();
const roundsOf = (operation: Operation, name: Name): readonly Round[] => rounds.get(`${operation}, ${name}`) ?? [];
for (const operation of OPERATIONS)
  for (let round = 0; round < ROUNDS; round += 1)
    for (const name of NAMES) {
      progress.stage(`${operation}, ${name}`);
      const measured = await measure(contenders[name], operation);
      for (const service of contenders[name]) await service.reset();
      if (round > 0) rounds.set(`${operation}, ${name}`, [...roundsOf(operation, name), measured]);
    }
progress.end();
await Promise.all([first, second, withWorkers].map((service) => service.stop()));

const median = (all: readonly Round[], valueOf: (round: Round) => number): number => medianOf(all.map(valueOf));
const percent = (share: number): string => `${Math.round(100 * share)} %`;

function findGoal(operation: Operation, about: string, valueOf: (round: Round) => number): Goal {
  const [one = Number.NaN, apart = Number.NaN, workers = Number.NaN] = NAMES.map((name) =>
    median(roundsOf(operation, name), valueOf),
  );
  return {
    about: `${operation}, ${about} of two processes that share nothing to that of two workers, per request`,
    bound: "at least",
    limit: MIN_GROWTH,
    value: apart / workers,
    unit: "",
    reason: `${Math.round(workers)} µs with two workers, ${Math.round(apart)} with two processes that share nothing, ${Math.round(one)} with one process that has the machine for itself`,
  };
}

openReport(values.json).add({
  id: "workers",
  title: `Processes and workers, ${CONNECTIONS_PER_PROCESS} connections over TLS for each process that serves, ${values.uncounted ? "limits off" : "limits counted"}`,
  head: [
    "operation",
    "requests/s",
    "single processes or primary",
    "workers",
    "PostgreSQL",
    "service, per request",
    "PostgreSQL, per request",
  ],
  rows: Array.from(rounds, ([key, all]) => [
    key,
    Math.round(median(all, ({ rate }) => rate)).toLocaleString("en"),
    percent(median(all, ({ shares }) => shares.primary)),
    percent(median(all, ({ shares }) => shares.workers)),
    percent(median(all, ({ shares }) => shares.database)),
    `${Math.round(median(all, (round) => round.serviceMicroseconds))} µs`,
    `${Math.round(median(all, (round) => round.databaseMicroseconds))} µs`,
  ]),
  notes: [
    "Processor time as a share of one core. The load generator shares the machine, so on few cores the rates do not grow: the processor time per request says what further cores add. It is compared with two services, each with a database of its own, under the same load at the same time: processes that compete for the cores take more time for a request, whatever they share.",
  ],
  goals: OPERATIONS.flatMap((operation) => [
    findGoal(operation, "CPU of the service", (round) => round.serviceMicroseconds),
    findGoal(operation, "CPU of PostgreSQL", (round) => round.databaseMicroseconds),
  ]),
  plot: {
    caption: "µs of CPU of the service per request, less is better",
    bars: Array.from(rounds, ([key, all]) => {
      const value = median(all, (round) => round.serviceMicroseconds);
      return { label: key, value, text: `${Math.round(value)} µs`, goal: null, isOurs: true };
    }),
  },
});
