import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Closers, openClosers } from "../load/closers.ts";
import { openReport } from "../report/report.ts";
import type { Table } from "../report/table.ts";
import { forkAsked } from "./child.ts";
import type { Contender } from "./contender.ts";
import { startBare } from "./contenders/bare.ts";
import { startDirect } from "./contenders/direct.ts";
import { startExpress } from "./contenders/express.ts";
import { hasPocketBase, startPocketBase } from "./contenders/pocketbase.ts";
import { startSupabaseLite } from "./contenders/supabase-lite.ts";
import { startSwarmbase } from "./contenders/swarmbase.ts";
import { createHttpContender, type LoadOptions, type LoadProcess } from "./http-contender.ts";
import type { LoadAnswer, LoadQuestion } from "./load-process.ts";
import { type Figures, measure, type Timing } from "./measure.ts";
import { OPERATIONS, type Operation, READS } from "./operations.ts";
import { describePopulation, type Population } from "./population.ts";
import { readOwnBytes, readResidentBytes } from "./process-usage.ts";
import { createProgress, type Progress } from "./progress.ts";
import {
  type Memory,
  tabulateBound,
  tabulateCosts,
  tabulateGrowth,
  tabulateMemory,
  tabulateRatios,
} from "./tabulate.ts";
import { openStage, type Stage } from "./stage.ts";

const CONNECTIONS = 32;
const OURS = "Swarmbase";
const BOUND = "bare HTTPS";
const POPULATION: Population = { users: 1_000, agentsPerUser: 20 };
const SMALLER: Population = { users: 100, agentsPerUser: 20 };
const LARGER: Population = { users: 10_000, agentsPerUser: 20 };
const PEERS = ["@supabase/lite", "express"];
/** The goals: how many times faster than each contender the service should be; half of the limit. */
const GOALS: Readonly<Record<string, number>> = {
  "statements without HTTP": 0.5,
  "Express 5 + pg": 2,
  PocketBase: 3,
  "@supabase/lite": 3,
};
// Users meet a server that has run for a while; during the first minute much time goes into compilation.
const FULL: Timing = { rounds: 7, roundMs: 800, warmUpMs: 4_000, firstWarmUpMs: { minMs: 8_000, maxMs: 15_000 } };
const QUICK: Timing = { rounds: 3, roundMs: 200, warmUpMs: 600, firstWarmUpMs: { minMs: 2_000, maxMs: 4_000 } };

interface Bench {
  readonly stage: Stage;
  readonly load: LoadProcess;
  readonly timing: Timing;
  readonly larger: Population;
  readonly progress: Progress;
  readonly closers: Closers;
}

const { values: options } = parseArgs({
  options: { quick: { type: "boolean", default: false }, json: { type: "string" } },
});
const missing = PEERS.filter((name) => !existsSync(resolve(import.meta.dirname, "../node_modules", name)));
if (missing.length > 0) {
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
  const length = options.quick ? { timing: QUICK, larger: POPULATION } : { timing: FULL, larger: LARGER };
  const bench: Bench = { stage, load, ...length, progress, closers };
  report.add(...(await compareAll(bench)));
  report.add(await compareSizes(bench));
} catch (error) {
  // After a signal, measurements fail because their processes were stopped; these errors are ignored.
  if (!closers.isClosing()) throw error;
} finally {
  progress.stage("ending what was started");
  await closers.closeAll();
  progress.end();
}

async function compareAll(bench: Bench): Promise<Table[]> {
  const { stage, progress } = bench;
  progress.stage(`filling databases with ${describePopulation(POPULATION)}`);
  await stage.createFilled("ours", POPULATION);
  await stage.copy("ours", "direct");
  await stage.copy("ours", "bare");
  await stage.copy("ours", "express");
  progress.stage("starting the servers");
  const contenders: Contender[] = [];
  const servers = [
    () => startSwarmbase(stage, { name: OURS, database: "ours", population: POPULATION }),
    () => startBare(stage, "bare"),
    () => startExpress(stage, "express", POPULATION),
    ...(hasPocketBase() ? [() => startPocketBase(stage, POPULATION)] : []),
    () => startSupabaseLite(stage, "lite", POPULATION),
  ];
  for (const start of servers) contenders.push(await join(bench, await start(), POPULATION, OPERATIONS));
  const direct = await startDirect(stage, { database: "direct", population: POPULATION, concurrency: CONNECTIONS });
  bench.closers.add(() => direct.stop());
  contenders.splice(1, 0, direct);

  const results = await measureAll(bench, contenders, OPERATIONS);
  const memories: Memory[] = [];
  for (const contender of contenders) memories.push(await readMemory(stage, contender));
  const names = contenders.map(({ name }) => name);
  for (const contender of contenders) await contender.stop();
  progress.end();
  const about = `${CONNECTIONS} connections kept open, ${describePopulation(POPULATION)}, row-level rules on; medians of ${bench.timing.rounds} rounds`;
  const rivals = names.flatMap((name) => (GOALS[name] === undefined ? [] : [{ name, goal: GOALS[name] }]));
  return [
    tabulateRatios(results, OURS, rivals, about),
    tabulateBound(results, { subject: OURS, bound: BOUND, rivals }),
    tabulateCosts(results, names),
    tabulateMemory(memories),
  ];
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
  server: Parameters<typeof createHttpContender>[0],
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
    const { postmasterPid } = stage;
    results.set(operation, await measure(contenders, operation, { timing, postmasterPid, onRound: progress.step }));
  }
  return results;
}

async function readMemory(stage: Stage, { name, pids, database }: Contender): Promise<Memory> {
  const backends = database === null ? [] : await stage.listBackends(database);
  return { name, serverBytes: readResidentBytes(pids), databaseBytes: readOwnBytes(backends) };
}
