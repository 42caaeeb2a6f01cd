import { parseArgs } from "node:util";
import { openClosers } from "../load/closers.ts";
import { LENGTH_OPTIONS, pickLength } from "../load/length.ts";
import { openReport } from "../report/report.ts";
import { createProgress } from "../rest/progress.ts";
import type { Contender } from "./contender.ts";
import { findRedis } from "./find-redis.ts";
import { joinRounds, type Latency, measureLatency } from "./latency.ts";
import { openRawPosts } from "./raw-posts.ts";
import { openStage, type Stage } from "./stage.ts";
import { openSwarmbase } from "./swarmbase.ts";
import { openUsage } from "./usage.ts";
import { type DeliveryCpu, type Rates, tabulateDeliveryCpu, tabulateLatencies, tabulateRates } from "./tabulate.ts";

const { values } = parseArgs({
  options: {
    ...LENGTH_OPTIONS,
    "without-peers": { type: "boolean", default: false },
    "without-rates": { type: "boolean", default: false },
    deliveries: { type: "string" },
    rounds: { type: "string" },
    backlog: { type: "string" },
    json: { type: "string" },
  },
});
const DELIVERIES = Number(values.deliveries ?? pickLength(values, { smoke: 100, quick: 2_000, full: 6_000 }));
const ROUNDS = Number(values.rounds ?? pickLength(values, { smoke: 1, quick: 1, full: 3 }));
const BACKLOG = Number(values.backlog ?? pickLength(values, { smoke: 500, quick: 20_000, full: 200_000 }));
const SECONDS = pickLength(values, { smoke: 2, quick: 4, full: 10 });
const LATENCY_ROUNDS = pickLength(values, { smoke: 1, quick: 1, full: 3 });
const ENDPOINTS = pickLength(values, { smoke: [1, 100], quick: [1, 100, 1_000], full: [1, 100, 1_000] });
const withPeers = !values["without-peers"] && !values["without-rates"] && !values.smoke;
const WARM_UP = { deliveries: DELIVERIES, endpoints: 100 };
const FILL_ROWS = 10_000;
const LATENCY = { eventsPerSecond: 500, seconds: SECONDS, endpoints: 100 };
const MAX_P99_MS = { alone: 50, besideBacklog: 1_000 };

/** Imported on demand, because they need packages that the product does not. */
const PEERS: Readonly<Record<string, (stage: Stage) => Promise<Contender>>> = {
  "graphile-worker": async (stage) => (await import("./peers/graphile-worker.js")).openGraphileWorker(stage),
  "pg-boss": async (stage) => (await import("./peers/pg-boss.js")).openPgBoss(stage),
  BullMQ: async (stage) => {
    const redis = await findRedis(process.env["REDIS_URL"]);
    if (redis === null) throw new Error("needs a Redis or Valkey server");
    closers.add(() => redis.stop());
    return (await import("./peers/bullmq.js")).openBullMq(stage, redis.url);
  },
};

const report = openReport(values.json);
const progress = createProgress(process.stderr);
const closers = openClosers();
try {
  progress.stage("PostgreSQL and the receiver start");
  const stage = await openStage();
  closers.add(() => stage.close());
  const subject = openSwarmbase(stage);
  const limit = openRawPosts(stage);
  closers.add(() => limit.close());
  const peers: Contender[] = [];
  const absent = new Map<string, string>();
  if (withPeers) {
    for (const [name, open] of Object.entries(PEERS)) {
      // A contender that is missing or does not start is noted in the table and does not end the run.
      await open(stage).then(
        (peer) => {
          closers.add(() => peer.close());
          peers.push(peer);
        },
        (error: unknown) => absent.set(name, error instanceof Error ? error.message : String(error)),
      );
    }
  }
  if (!values["without-rates"]) {
    const contenders = [limit, subject, ...peers];
    for (const contender of contenders) {
      progress.stage(`${contender.name} is warmed up`);
      await contender.fill(WARM_UP);
      await contender.drain(WARM_UP);
    }
    const rates: Rates[] = [];
    for (const endpoints of ENDPOINTS) rates.push(await measureRates(stage, endpoints, contenders));
    progress.end();
    const names = { limit: limit.name, subject: subject.name, peers: peers.map(({ name }) => name) };
    report.add(tabulateRates(rates, { ...names, absent }), tabulateDeliveryCpu(rates, { ...names, absent }));
  }

  const rounds: Latency[] = [];
  for (let round = 1; round <= LATENCY_ROUNDS; round += 1) {
    progress.stage(`${LATENCY.eventsPerSecond} events a second, round ${round} of ${LATENCY_ROUNDS}`);
    await stage.prepare(LATENCY.endpoints);
    await stage.checkpoint();
    rounds.push(await measureLatency(stage, { ...LATENCY, firstEndpoint: 1 }));
  }
  progress.stage(`a backlog of ${BACKLOG}`);
  await stage.prepare(LATENCY.endpoints, (endpoint) => `${stage.url}/${endpoint === 1 ? "slow" : endpoint}`);
  for (let made = 0; made < BACKLOG; made += FILL_ROWS)
    await stage.insertEvents(Math.min(FILL_ROWS, BACKLOG - made), 1);
  await stage.checkpoint();
  const beside = await measureLatency(stage, { ...LATENCY, firstEndpoint: 2 });
  progress.end();
  report.add(
    tabulateLatencies(
      [
        { label: `${LATENCY.endpoints} endpoints`, ...joinRounds(rounds), maxP99Ms: MAX_P99_MS.alone },
        {
          label: `beside ${BACKLOG.toLocaleString("en")} events for a slow one`,
          ...beside,
          maxP99Ms: MAX_P99_MS.besideBacklog,
        },
      ],
      LATENCY.eventsPerSecond,
    ),
  );
} catch (error) {
  if (!closers.isClosing()) throw error;
} finally {
  await closers.closeAll();
}

/** All contenders alternate, forwards and backwards, so that other load of the machine affects each of them. */
async function measureRates(stage: Stage, endpoints: number, contenders: readonly Contender[]): Promise<Rates> {
  const load = { deliveries: DELIVERIES, endpoints };
  const rates = new Map(contenders.map(({ name }) => [name, [] as number[]]));
  const cpu = new Map(contenders.map(({ name }) => [name, [] as DeliveryCpu[]]));
  const readUsage = openUsage(stage);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
      progress.stage(`${endpoints} endpoints, round ${round + 1} of ${ROUNDS}: ${contender.name}`);
      await contender.fill(load);
      await stage.checkpoint();
      const usedBefore = readUsage();
      const startedAtMs = performance.now();
      await contender.drain(load);
      rates.get(contender.name)?.push((DELIVERIES * 1_000) / (performance.now() - startedAtMs));
      const used = readUsage();
      cpu.get(contender.name)?.push({
        sender: (used.sender - usedBefore.sender) / DELIVERIES,
        database: (used.database - usedBefore.database) / DELIVERIES,
        receiver: (used.receiver - usedBefore.receiver) / DELIVERIES,
      });
    }
  }
  return { endpoints, rates, cpu };
}
