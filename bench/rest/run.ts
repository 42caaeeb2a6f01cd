import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Closers, openClosers } from "../load/closers.ts";
import { LENGTH_OPTIONS, pickLength } from "../load/length.ts";
import { openReport } from "../report/report.ts";
import type { Table } from "../report/table.ts";
import { forkAsked } from "./child.ts";
import type { Contender, HttpServer } from "./contender.ts";
import { startBare } from "./contenders/bare.ts";
import { startDirect } from "./contenders/direct.ts";
import { startExpress } from "./contenders/express.ts";
import { listFloors } from "./contenders/floors.ts";
import { hasPocketBase, startPocketBase } from "./contenders/pocketbase.ts";
import { startSupabaseLite } from "./contenders/supabase-lite.ts";
import { startSwarmbase } from "./contenders/swarmbase.ts";
import { createHttpContender, type LoadOptions, type LoadProcess } from "./http-contender.ts";
import type { LoadAnswer, LoadQuestion } from "./load-process.ts";
import { type Figures, measure, type Timing } from "./measure.ts";
import { OPERATIONS, type Operation, READS } from "./operations.ts";
import { describePopulation, type Population } from "./population.ts";
import { readOwnBytes, readPeakBytes, readResidentBytes } from "./process-usage.ts";
import { createProgress, type Progress } from "./progress.ts";
import { openStage, type Stage } from "./stage.ts";
import type { Race, Results } from "./race.ts";
import { type Memory, tabulateGrowth, tabulateLoad, tabulateMemory, tabulateRates } from "./tabulate.ts";
import { type CostNames, tabulateFloors, tabulateOperationCosts } from "./tabulate-costs.ts";
import { tabulatePlainCosts } from "./tabulate-plain-costs.ts";
import { tabulateBound, tabulateRatios } from "./tabulate-races.ts";

const CONNECTIONS = 32;
const OURS = "Swarmbase";
const COSTS: CostNames = { subject: OURS, bound: "bare HTTPS", direct: "statements without HTTP" };
const DURABLE = "PocketBase, synchronous=FULL";
const PEERS = ["@supabase/lite", "express"];
/** The same rows for every server with PostgreSQL. */
const TEMPLATE = "filled";
const OVER_TLS: Race = {
  id: "rest",
  over: "TLS",
  subject: OURS,
  bound: COSTS.bound,
  rivals: [
    { name: COSTS.direct, goal: 0.5 },
    {
      name: "Express 5 + pg",
      goal: null,
      history: { "read one": "read one to Express", insert: "insert to Express" },
    },
    { name: "@supabase/lite", goal: 3 },
  ],
};
const OVER_HTTP: Race = {
  id: "rest-plain",
  over: "plain HTTP",
  subject: OURS,
  bound: "bare HTTP",
  rivals: [
    { name: "PocketBase", goal: null, history: { "read one": "read one to PocketBase" } },
    { name: DURABLE, goal: null, history: { insert: "insert to PocketBase, FULL" } },
  ],
};
const IDLE_MS = 3_000;

interface Bench {
  readonly stage: Stage;
  readonly load: LoadProcess;
  readonly timing: Timing;
  readonly larger: Population;
  readonly progress: Progress;
  readonly closers: Closers;
}

const { values: options } = parseArgs({
  options: { ...LENGTH_OPTIONS, json: { type: "string" } },
});
const POPULATION: Population = {
  users: pickLength(options, { smoke: 100, quick: 1_000, full: 1_000 }),
  agentsPerUser: 20,
};
const SMALLER: Population = { users: 100, agentsPerUser: 20 };
const LARGER: Population = { users: 10_000, agentsPerUser: 20 };
const length = pickLength<{ readonly timing: Timing; readonly larger: Population }>(options, {
  smoke: {
    timing: { rounds: 1, roundMs: 100, warmUpMs: 50, firstWarmUpMs: { minMs: 100, maxMs: 200 } },
    larger: { users: 200, agentsPerUser: 20 },
  },
  quick: {
    timing: { rounds: 3, roundMs: 200, warmUpMs: 600, firstWarmUpMs: { minMs: 2_000, maxMs: 4_000 } },
    larger: POPULATION,
  },
  full: {
    // Users meet a server that has run for a while; during the first minute much time goes into compilation.
    timing: { rounds: 7, roundMs: 800, warmUpMs: 3_000, firstWarmUpMs: { minMs: 8_000, maxMs: 15_000 } },
    larger: LARGER,
  },
});
const withPeers = !options.smoke;
const missing = PEERS.filter((name) => !existsSync(resolve(import.meta.dirname, "../node_modules", name)));
if (withPeers && missing.length > 0) {
  process.stderr.write(
    `Those to compare with are not installed (${missing.join(", ")}): run \`npm ci\` in the folder bench.\n`,
  );
  process.exit(1);
}
const progress = createProgress(process.stderr);
const report = openReport(options.json);
const closers = openClosers();
try {
  progress.stage("starting PostgreSQL");
  const stage = await openStage();
  closers.add(() => stage.close());
  const load = forkAsked<LoadQuestion, LoadAnswer>(resolve(import.meta.dirname, "load-process.ts"));
  closers.add(() => load.stop());
  const bench: Bench = { stage, load, ...length, progress, closers };
  progress.stage(`filling databases with ${describePopulation(POPULATION)}`);
  await stage.createFilled(TEMPLATE, POPULATION);
  const memories = await compareOverTls(bench);
  if (withPeers && hasPocketBase()) memories.push(...(await compareOverHttp(bench)));
  report.add(tabulateMemory(memories, OVER_TLS));
  report.add(await compareSizes(bench));
} catch (error) {
  // After a signal, measurements fail because their processes were stopped; these errors are ignored.
  if (!closers.isClosing()) throw error;
} finally {
  progress.stage("ending what was started");
  await closers.closeAll();
  progress.end();
}

async function compareOverTls(bench: Bench): Promise<Memory[]> {
  const { stage, progress } = bench;
  for (const database of ["ours", "direct", "bare", "express"]) await stage.copy(TEMPLATE, database);
  progress.stage("starting the servers over TLS");
  const ours = await startSwarmbase(stage, { name: OURS, database: "ours", population: POPULATION });
  const bare = await startBare(stage, { database: "bare", isPlain: false });
  const servers = [ours, bare];
  if (withPeers) servers.push(await startExpress(stage, "express", POPULATION));
  if (withPeers) servers.push(await startSupabaseLite(stage, "lite", POPULATION));
  const idle = await readIdle(servers);
  const contenders: Contender[] = [];
  for (const server of servers) contenders.push(await join(bench, server, POPULATION, OPERATIONS));
  const direct = await startDirect(stage, { database: "direct", population: POPULATION, concurrency: CONNECTIONS });
  bench.closers.add(() => direct.stop());
  contenders.splice(1, 0, direct);
  const results = await measureAll(bench, contenders, OPERATIONS);
  const memories = await readMemories(stage, contenders, idle);
  addRace(results, contenders, OVER_TLS);

  const floors = contenders.filter(({ name }) => name === OURS || name === COSTS.bound);
  for (const floor of listFloors(ours, bare)) floors.push(await join(bench, floor, POPULATION, ["read one"]));
  const measured = (await measureAll(bench, floors, ["read one"])).get("read one") ?? new Map<string, Figures>();
  for (const contender of contenders) await contender.stop();
  progress.end();
  report.add(tabulateOperationCosts(results, measured, COSTS), tabulateFloors(measured, COSTS));
  return memories;
}

/** The transport that PocketBase has without a public name; the service has it behind a proxy. */
async function compareOverHttp(bench: Bench): Promise<Memory[]> {
  const { stage, progress } = bench;
  for (const database of ["ours_plain", "bare_plain"]) await stage.copy(TEMPLATE, database);
  progress.stage("starting the servers over plain HTTP");
  const population = POPULATION;
  const servers = [
    await startSwarmbase(stage, { name: OURS, database: "ours_plain", population, isPlain: true }),
    await startBare(stage, { database: "bare_plain", isPlain: true }),
    await startPocketBase(stage, { name: "PocketBase", population, isDurable: false }),
    await startPocketBase(stage, { name: DURABLE, population, isDurable: true }),
  ];
  const idle = await readIdle(servers);
  const contenders: Contender[] = [];
  for (const server of servers) contenders.push(await join(bench, server, population, OPERATIONS));
  const results = await measureAll(bench, contenders, OPERATIONS);
  const memories = await readMemories(stage, contenders, idle);
  for (const contender of contenders) await contender.stop();
  progress.end();
  addRace(results, contenders, OVER_HTTP);
  report.add(tabulatePlainCosts(results, OVER_HTTP, DURABLE));
  return memories.filter(({ name }) => name.startsWith("PocketBase"));
}

function addRace(results: Results, contenders: readonly Contender[], race: Race): void {
  const names = contenders.map(({ name }) => name);
  const about = `${CONNECTIONS} connections kept open, ${describePopulation(POPULATION)}, row-level rules on; medians of ${length.timing.rounds} rounds`;
  const served = names.filter((name) => name !== COSTS.direct);
  const run = { ...race, rivals: race.rivals.filter(({ name }) => names.includes(name)) };
  report.add(
    tabulateRatios(results, run, about),
    tabulateBound(results, run),
    tabulateRates(results, names, run),
    tabulateLoad(results, served, run),
  );
}

async function compareSizes(bench: Bench): Promise<Table> {
  const { stage, progress, larger } = bench;
  const contenders: Contender[] = [];
  for (const [database, population] of [["smaller", SMALLER] as const, ["larger", larger] as const]) {
    const name = describePopulation(population);
    progress.stage(`filling a database with ${name}`);
    await stage.createFilled(database, population);
    contenders.push(await join(bench, await startSwarmbase(stage, { name, database, population }), population, READS));
  }
  const results = await measureAll(bench, contenders, READS);
  for (const contender of contenders) await contender.stop();
  progress.end();
  return tabulateGrowth(results, describePopulation(SMALLER), describePopulation(larger));
}

async function join(
  { load, closers: closing }: Bench,
  server: HttpServer,
  population: Population,
  operations: readonly Operation[],
): Promise<Contender> {
  closing.add(() => server.stop());
  const options: LoadOptions = { load, connections: CONNECTIONS, population, operations };
  return createHttpContender(server, options);
}

async function measureAll(
  { stage, timing, progress }: Bench,
  contenders: readonly Contender[],
  operations: readonly Operation[],
): Promise<ReadonlyMap<Operation, ReadonlyMap<string, Figures>>> {
  const results = new Map<Operation, ReadonlyMap<string, Figures>>();
  progress.stage("warming up");
  for (const contender of contenders) {
    progress.step(contender.name);
    await contender.warmUp("read one", timing.firstWarmUpMs);
  }
  for (const operation of operations) {
    progress.stage(`measuring: ${operation}`);
    const { postmasterPid, listOthers } = stage;
    const options = { timing, postmasterPid, listOthers, onRound: progress.step };
    results.set(operation, await measure(contenders, operation, options));
  }
  return results;
}

/** Before the first request. */
async function readIdle(servers: readonly HttpServer[]): Promise<ReadonlyMap<string, number>> {
  await sleep(IDLE_MS);
  return new Map(servers.map(({ name, pids }) => [name, readResidentBytes(pids)]));
}

async function readMemories(
  stage: Stage,
  contenders: readonly Contender[],
  idle: ReadonlyMap<string, number>,
): Promise<Memory[]> {
  const memories: Memory[] = [];
  for (const { name, pids, database } of contenders) {
    const idleBytes = idle.get(name);
    if (idleBytes === undefined) continue;
    const backends = database === null ? [] : await stage.listBackends(database);
    memories.push({ name, idleBytes, peakBytes: readPeakBytes(pids), databaseBytes: readOwnBytes(backends) });
  }
  return memories;
}
