import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pg from "pg";
import { derivePassword, newMasterKey } from "../../server/src/crypto/index.ts";
import { migrate, startEmbedded, withDatabase } from "../../server/src/db/index.ts";
import { silentObserver } from "../../server/test/support/silent-observer.ts";
import { openClosers } from "../load/closers.ts";
import { LENGTH_OPTIONS, pickLength } from "../load/length.ts";
import { openReport } from "../report/report.ts";
import { type Asked, forkAsked } from "../rest/child.ts";
import { createProgress } from "../rest/progress.ts";
import { type NodeAnswer, type NodeQuestion, type SocketAnswer, type SocketQuestion, wallMs } from "./questions.ts";
import {
  type FanOut,
  type Latency,
  type Round,
  type SocketMemory,
  tabulateFanOuts,
  tabulateLatency,
  tabulateMemory,
} from "./tabulate.ts";

/**
 * Measures the fan-out of changes against raw broadcasts of the same bytes, the time from commit to frame, and the
 * memory of a socket. Run: npm run bench -- realtime [--quick|--smoke]
 */
const { values } = parseArgs({
  options: { ...LENGTH_OPTIONS, json: { type: "string" } },
});
const FAN_OUTS = pickLength(values, { smoke: [1, 100], quick: [1, 100, 1_000], full: [1, 100, 1_000, 5_000] });
const ROUNDS = pickLength(values, { smoke: 1, quick: 3, full: 5 });
/** Frames per round, independent of the number of sockets, so that rounds take about equally long. */
const FRAMES = pickLength(values, { smoke: 100, quick: 50_000, full: 50_000 });
const MAX_CHANGES = 1_000;
const USERS = 200;
const LATENCY_SOCKETS = pickLength(values, { smoke: 200, quick: 1_000, full: 1_000 });
const CHANGES_PER_SECOND = 200;
const LATENCY_SECONDS = pickLength(values, { smoke: 1, quick: 5, full: 20 });

interface Bench {
  readonly admin: pg.Pool;
  readonly node: Asked<NodeQuestion, NodeAnswer>;
  readonly sockets: Asked<SocketQuestion, SocketAnswer>;
  readonly ports: NodeAnswer;
  /** One agent per user. */
  readonly agents: readonly { readonly id: string; readonly user_id: string }[];
}

const report = openReport(values.json);
const progress = createProgress(process.stderr);
const closers = openClosers();
try {
  progress.stage("PostgreSQL starts");
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-bench-"));
  closers.add(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o711);
  const masterKey = newMasterKey();
  const superuserPassword = derivePassword(masterKey, "postgres");
  const server = await startEmbedded({ dataDir: folder, wantedPort: 0, superuserPassword, observer: silentObserver });
  closers.add(() => server.stop());
  const adminUrl = withDatabase(server.adminUrl, "bench");
  const admin = await prepareDatabase(server.adminUrl, masterKey);
  closers.add(() => admin.end());
  const node = forkAsked<NodeQuestion, NodeAnswer>(fileURLToPath(new URL("node-process.ts", import.meta.url)));
  closers.add(() => node.stop());
  const sockets = forkAsked<SocketQuestion, SocketAnswer>(fileURLToPath(new URL("socket-process.ts", import.meta.url)));
  closers.add(() => sockets.stop());
  const ports = await node.ask({ kind: "start", adminUrl, masterKey });
  const { rows: agents } = await admin.query<{ id: string; user_id: string }>("select id, user_id from public.agents");
  const bench: Bench = { admin, node, sockets, ports, agents };
  // Measured first, before the process holds memory from other parts.
  progress.stage("memory of idle sockets");
  const memory = await measureMemory(bench, FAN_OUTS.at(-1) ?? 1);
  progress.stage("from commit to frame");
  const latency = await measureLatency(bench);
  progress.end();
  report.add(tabulateMemory(memory), tabulateLatency(latency));
  const fanOuts: FanOut[] = [];
  for (const count of FAN_OUTS) {
    progress.stage(`fan-out to ${count} sockets`);
    fanOuts.push(await compareFanOut(bench, count));
  }
  progress.end();
  report.add(tabulateFanOuts(fanOuts));
} catch (error) {
  if (!closers.isClosing()) throw error;
} finally {
  await closers.closeAll();
}

async function prepareDatabase(serverUrl: string, masterKey: string): Promise<pg.Pool> {
  const first = new pg.Client({ connectionString: serverUrl });
  await first.connect();
  await first.query("create database bench");
  await first.end();
  const adminUrl = withDatabase(serverUrl, "bench");
  await migrate({ adminUrl, masterKey, observer: silentObserver, settings: { agentLimitPerUser: 100 } });
  const pool = new pg.Pool({ connectionString: adminUrl, max: 8 });
  await pool.query(`insert into auth.users (email) select n || '@example.test' from generate_series(1, ${USERS}) n`);
  await pool.query(`insert into public.agents (user_id, name, system_prompt)
    select id, 'Ada', repeat('Be brief. ', 20) from auth.users`);
  return pool;
}

async function compareFanOut(bench: Bench, count: number): Promise<FanOut> {
  const [agent] = bench.agents;
  if (agent === undefined) throw new Error("no agent");
  const changes = Math.min(MAX_CHANGES, Math.ceil(FRAMES / count));
  await bench.sockets.ask({ kind: "open", port: bench.ports.port, count, userIds: [agent.user_id] });
  const [{ text }] = await Promise.all([bench.sockets.ask({ kind: "sample" }), changeOften(bench, agent.id)]);
  const ours: Round[] = [];
  const raw: Round[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const end = `end-of-${count}-${round}`;
    const mine = await measureRound(bench, count * changes, end, () => changeAgent(bench, agent.id, changes, end));
    // The first round is a warm-up.
    if (round > 0) ours.push(mine);
  }
  await bench.sockets.ask({ kind: "close" });
  await bench.sockets.ask({ kind: "open", port: bench.ports.rawPort, count, userIds: null });
  for (let round = 0; round <= ROUNDS; round += 1) {
    const end = `end-of-${count}-${round}`;
    const theirs = await measureRound(bench, count * changes, end, async () => {
      const startedAtMs = wallMs();
      const last = text.replace('"name":"', `"name":"${end}`);
      await bench.node.ask({ kind: "broadcast", text, count: changes, end: last });
      return startedAtMs;
    });
    if (round > 0) raw.push(theirs);
  }
  await bench.sockets.ask({ kind: "close" });
  return { sockets: count, bytes: text.length, ours: middle(ours), raw: middle(raw) };
}

/** Until the sample has been taken. */
async function changeOften({ admin: pool }: Bench, id: string): Promise<void> {
  for (let times = 0; times < 10; times += 1) {
    await sleep(300);
    await pool.query("update public.agents set name = 'sample' where id = $1", [id]);
  }
}

async function measureRound(bench: Bench, frames: number, end: string, run: () => Promise<number>): Promise<Round> {
  await bench.sockets.ask({ kind: "arm", end });
  const before = await bench.node.ask({ kind: "usage" });
  const startedAtMs = await run();
  const { atMs } = await bench.sockets.ask({ kind: "wait" });
  const after = await bench.node.ask({ kind: "usage" });
  return {
    framesPerSecond: (frames / (atMs - startedAtMs)) * 1_000,
    cpuMicroseconds: ((after.cpuMs - before.cpuMs) * 1_000) / frames,
  };
}

/** Many changes of one row in one transaction, and the time at which they are sent. */
async function changeAgent({ admin: pool }: Bench, id: string, changes: number, end: string): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    for (let change = 1; change <= changes; change += 1) {
      const name = change === changes ? end : `change ${change}`;
      await client.query("update public.agents set name = $2 where id = $1", [id, name]);
    }
    const startedAtMs = wallMs();
    await client.query("commit");
    return startedAtMs;
  } finally {
    client.release();
  }
}

async function measureLatency(bench: Bench): Promise<Latency> {
  const userIds = bench.agents.map(({ user_id }) => user_id);
  await bench.sockets.ask({ kind: "open", port: bench.ports.port, count: LATENCY_SOCKETS, userIds });
  // One warm-up change for every user.
  for (const { id } of bench.agents)
    await bench.admin.query("update public.agents set name = 'warm' where id = $1", [id]);
  await bench.sockets.ask({ kind: "note" });
  const committedAtMs = new Map<number, number>();
  const changes: Promise<void>[] = [];
  const startedAtMs = performance.now();
  for (let seq = 1; seq <= CHANGES_PER_SECOND * LATENCY_SECONDS; seq += 1) {
    const waitMs = startedAtMs + (seq * 1_000) / CHANGES_PER_SECOND - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    const agent = bench.agents[seq % bench.agents.length];
    const change = bench.admin
      .query("update public.agents set name = $2 where id = $1", [agent?.id, `seq-${seq}-`])
      .then(() => void committedAtMs.set(seq, wallMs()));
    changes.push(change);
  }
  await Promise.all(changes);
  await sleep(1_000);
  const { notes, heartbeatsMs } = await bench.sockets.ask({ kind: "notes" });
  await bench.sockets.ask({ kind: "close" });
  const latencies = notes.map(([seq, atMs]) => Math.max(0, atMs - (committedAtMs.get(seq) ?? Number.NaN)));
  const expected = (CHANGES_PER_SECOND * LATENCY_SECONDS * LATENCY_SOCKETS) / USERS;
  return {
    about: `${CHANGES_PER_SECOND} changes/s, ${LATENCY_SOCKETS.toLocaleString("en")} sockets of ${USERS} users`,
    framesMs: latencies,
    heartbeatsMs,
    expected,
  };
}

async function measureMemory(bench: Bench, count: number): Promise<SocketMemory> {
  await sleep(1_000);
  const before = await bench.node.ask({ kind: "usage" });
  const userIds = bench.agents.map(({ user_id }) => user_id);
  await bench.sockets.ask({ kind: "open", port: bench.ports.port, count, userIds });
  await sleep(1_000);
  const after = await bench.node.ask({ kind: "usage" });
  await bench.sockets.ask({ kind: "close" });
  return {
    sockets: count,
    heapKib: (after.heapBytes - before.heapBytes) / count / 1_024,
    processKib: (after.rssBytes - before.rssBytes) / count / 1_024,
  };
}

function middle(rounds: readonly Round[]): Round {
  const sorted = [...rounds].sort((one, other) => one.framesPerSecond - other.framesPerSecond);
  return sorted[Math.floor(sorted.length / 2)] ?? { framesPerSecond: Number.NaN, cpuMicroseconds: Number.NaN };
}
