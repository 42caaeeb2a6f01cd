import { parseArgs } from "node:util";
import { medianOf } from "../load/measure-rate.ts";
import { createProgress } from "../rest/progress.ts";
import type { Contender } from "./contender.ts";
import { type Latency, measureLatency } from "./latency.ts";
import { openGraphileWorker } from "./peers/graphile-worker.js";
import { openPgBoss } from "./peers/pg-boss.js";
import { openRawPosts } from "./raw-posts.ts";
import { openStage } from "./stage.ts";
import { openSwarmbase } from "./swarmbase.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    "without-peers": { type: "boolean", default: false },
    deliveries: { type: "string" },
    rounds: { type: "string" },
    backlog: { type: "string" },
  },
});
const DELIVERIES = Number(values.deliveries ?? (values.quick ? 2_000 : 6_000));
const ROUNDS = Number(values.rounds ?? (values.quick ? 1 : 3));
const BACKLOG = Number(values.backlog ?? (values.quick ? 20_000 : 200_000));
const SECONDS = values.quick ? 4 : 10;
const FILL_ROWS = 10_000;
const LATENCY = { eventsPerSecond: 500, seconds: SECONDS, endpoints: 100 };

const progress = createProgress(process.stderr);
progress.stage("PostgreSQL and the receiver start");
const stage = await openStage();
const contenders: Contender[] = [];
try {
  const subject = openSwarmbase(stage);
  const limit = openRawPosts(stage);
  contenders.push(limit, subject);
  if (!values["without-peers"]) contenders.push(await openGraphileWorker(stage), await openPgBoss(stage));
  const peers = contenders.filter((contender) => contender !== subject && contender !== limit);

  const rows: string[][] = [];
  for (const endpoints of [1, 100, 1_000]) rows.push(await compareRates(endpoints, subject, limit, peers));
  const names = [...peers.map(({ name }) => name), "BullMQ"];
  print(["delivered/s", "bare POSTs", subject.name, ...names, "to bare POSTs", "to the best peer"], rows);

  progress.stage(`${LATENCY.eventsPerSecond} events a second`);
  await stage.prepare(LATENCY.endpoints);
  const alone = await measureLatency(stage, { ...LATENCY, firstEndpoint: 1 });
  progress.stage(`a backlog of ${BACKLOG}`);
  await stage.prepare(LATENCY.endpoints, (endpoint) => `${stage.url}/${endpoint === 1 ? "slow" : endpoint}`);
  for (let made = 0; made < BACKLOG; made += FILL_ROWS)
    await stage.insertEvents(Math.min(FILL_ROWS, BACKLOG - made), 1);
  const beside = await measureLatency(stage, { ...LATENCY, firstEndpoint: 2 });
  progress.end();
  print(
    [`from the write to the receiver, ${LATENCY.eventsPerSecond} events/s`, "p50", "p99", "longest"],
    [
      [`${LATENCY.endpoints} endpoints`, ...describe(alone)],
      [`the others, beside ${BACKLOG.toLocaleString("en")} events for a slow one`, ...describe(beside)],
    ],
  );
} finally {
  for (const contender of contenders.toReversed()) await contender.close();
  await stage.close();
}

/** All take turns, forwards and backwards, so that whatever else the machine does meets each of them. */
async function compareRates(
  endpoints: number,
  subject: Contender,
  limit: Contender,
  peers: readonly Contender[],
): Promise<string[]> {
  const load = { deliveries: DELIVERIES, endpoints };
  const rates = new Map(contenders.map((contender) => [contender, [] as number[]]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
      progress.stage(`${endpoints} endpoints, round ${round + 1} of ${ROUNDS}: ${contender.name}`);
      await contender.fill(load);
      const startedAtMs = performance.now();
      await contender.drain(load);
      rates.get(contender)?.push((DELIVERIES * 1_000) / (performance.now() - startedAtMs));
    }
  }
  const rateOf = (contender: Contender): number => medianOf(rates.get(contender) ?? []);
  const best = peers.toSorted((left, right) => rateOf(right) - rateOf(left))[0];
  const ratioTo = (other: Contender | undefined): string => {
    const others = other === undefined ? undefined : rates.get(other);
    if (others === undefined) return "not run";
    return medianOf((rates.get(subject) ?? []).map((rate, round) => rate / (others[round] ?? Number.NaN))).toFixed(2);
  };
  return [
    `${endpoints.toLocaleString("en")} ${endpoints === 1 ? "endpoint" : "endpoints"}`,
    ...[limit, subject, ...peers].map((contender) => Math.round(rateOf(contender)).toLocaleString("en")),
    "not run (needs Redis or Valkey)",
    ratioTo(limit),
    ratioTo(best),
  ];
}

function describe({ p50Ms, p99Ms, maxMs }: Latency): string[] {
  return [p50Ms, p99Ms, maxMs].map((ms) => `${ms} ms`);
}

function print(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, at) => (at === 0 ? "---" : "---:"));
  process.stdout.write(`${[line(head), line(rule), ...rows.map(line)].join("\n")}\n\n`);
}
