import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type HttpConnection, openConnection, renderRequest } from "../load/http-connection.ts";
import { measureRate, medianOf } from "../load/measure-rate.ts";
import { openReport } from "../report/report.ts";
import { findFreePort, spawnServer } from "../rest/child.ts";
import { isReady, readAuthority, readCredentials } from "../rest/data-directory.ts";
import { createProgress } from "../rest/progress.ts";
import { type CpuShares, readCpuShares, subtractShares } from "./cpu-shares.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "string" },
    uncounted: { type: "boolean", default: false },
  },
});
const ROUNDS = values.quick ? 3 : 8;
const DURATION_MS = values.quick ? 1_500 : 4_000;
/** For each process that serves, so that all of them are equally busy. */
const CONNECTIONS_PER_PROCESS = 16;
const COUNTS = [1, 2] as const;
/** The least part of n times the rate of one process that n workers must reach, by processor time. */
const MIN_GROWTH = 0.8;
const REPOSITORY = resolve(import.meta.dirname, "../..");
const NO_LIMIT = "1000000";
/** Counted, as in production, and never reached; 0 shows what counting costs. */
const LIMIT_API = values.uncounted ? "0" : NO_LIMIT;

interface Contender {
  readonly workers: number;
  readonly pid: number;
  readonly connections: readonly HttpConnection[];
  readonly requests: Readonly<Record<Operation, Buffer>>;
  /** Removes the inserted rows: an insert must not find more of them from round to round. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

const OPERATIONS = ["read one", "insert"] as const;
type Operation = (typeof OPERATIONS)[number];

interface Round {
  readonly rate: number;
  /** Processor seconds per second. */
  readonly shares: CpuShares;
  readonly serviceMicroseconds: number;
  readonly databaseMicroseconds: number;
}

async function start(workers: number): Promise<Contender> {
  const dataDir = await mkdtemp(join(tmpdir(), "swarmbase-bench-workers-"));
  await chmod(dataDir, 0o711);
  const server = await spawnServer({
    program: process.execPath,
    args: ["-C", "swarmbase-source", "server/bin/swarmbase.js", "serve"],
    cwd: REPOSITORY,
    env: {
      PATH: process.env["PATH"] ?? "",
      NODE_ENV: "production",
      LOG_LEVEL: "warn",
      CONSOLE: "false",
      PORT: String(await findFreePort()),
      DATA_DIR: dataDir,
      WORKERS: String(workers),
      AGENT_LIMIT_PER_USER: NO_LIMIT,
      LIMIT_API,
    },
    isUp: () => isReady(dataDir),
  });
  const credentials = await readCredentials(dataDir);
  const { url, anon_key: apikey } = credentials;
  const { hostname: host, port } = new URL(url);
  const target = { host, port: Number(port), ca: await readAuthority(credentials) };
  const connections = await Promise.all(
    Array.from({ length: workers * CONNECTIONS_PER_PROCESS }, () => openConnection(target)),
  );
  const [first] = connections;
  if (first === undefined) throw new Error("there are no connections");
  const headers = { apikey, "content-type": "application/json" };
  const account = JSON.stringify({ email: "ada@example.com", password: "correct horse battery" });
  const signedUp = await first.ask(
    renderRequest(target, { method: "POST", path: "/auth/v1/signup", headers, body: account }),
  );
  const { access_token: token } = JSON.parse(signedUp.text) as { access_token: string };
  const asUser = { ...headers, authorization: `Bearer ${token}`, prefer: "return=representation" };
  const body = JSON.stringify({ name: "Ada" });
  const insert = renderRequest(target, { method: "POST", path: "/rest/v1/agents?select=*", headers: asUser, body });
  const [row] = JSON.parse((await first.ask(insert)).text) as { id: string }[];
  const path = `/rest/v1/agents?select=*&id=eq.${row?.id}`;
  return {
    workers,
    pid: server.pid,
    connections,
    requests: { insert, "read one": renderRequest(target, { method: "GET", path, headers: asUser }) },
    reset: async () => {
      const others = `/rest/v1/agents?id=neq.${row?.id}`;
      await first.ask(
        renderRequest(target, { method: "DELETE", path: others, headers: { ...asUser, prefer: "return=minimal" } }),
      );
    },
    stop: async () => {
      for (const connection of connections) connection.close();
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function measure({ pid, connections, requests }: Contender, operation: Operation): Promise<Round> {
  const before = readCpuShares(pid);
  const startedAt = performance.now();
  const work = async (worker: number): Promise<void> => {
    const status = await connections[worker]?.send(requests[operation]);
    if (status !== 200 && status !== 201) throw new Error(`${operation} was answered with ${status}`);
  };
  const rate = await measureRate(work, { concurrency: connections.length, durationMs: DURATION_MS });
  const seconds = (performance.now() - startedAt) / 1000;
  const shares = subtractShares(readCpuShares(pid), before, seconds);
  const perRequest = (share: number): number => (share / rate) * 1_000_000;
  return {
    rate,
    shares,
    serviceMicroseconds: perRequest(shares.primary + shares.workers),
    databaseMicroseconds: perRequest(shares.database),
  };
}

const MEASURED: readonly (readonly [name: string, valueOf: (round: Round) => number])[] = [
  ["CPU of the service", (round) => round.serviceMicroseconds],
  ["CPU of PostgreSQL", (round) => round.databaseMicroseconds],
];
const progress = createProgress(process.stderr);
const contenders = await Promise.all(COUNTS.map((count) => start(count)));
const rounds = new Map<string, Round[]>();
for (const operation of OPERATIONS)
  for (let round = 0; round < ROUNDS; round += 1)
    for (const contender of contenders) {
      progress.stage(`${operation}, ${contender.workers} workers`);
      const measured = await measure(contender, operation);
      await contender.reset();
      const key = `${operation}, ${contender.workers}`;
      // The first round warms up.
      if (round > 0) rounds.set(key, [...(rounds.get(key) ?? []), measured]);
    }
progress.end();
await Promise.all(contenders.map(({ stop }) => stop()));
const median = (all: readonly Round[], valueOf: (round: Round) => number): number => medianOf(all.map(valueOf));
openReport(values.json).add({
  id: "workers",
  title: `One process, and a primary with two workers, ${CONNECTIONS_PER_PROCESS} connections over TLS for each process that serves, ${values.uncounted ? "limits off" : "limits counted"}`,
  head: [
    "operation, workers",
    "requests/s",
    "primary",
    "workers",
    "PostgreSQL",
    "service, per request",
    "PostgreSQL, per request",
  ],
  rows: Array.from(rounds, ([key, all]) => [
    key,
    Math.round(median(all, ({ rate }) => rate)).toLocaleString("en"),
    `${Math.round(100 * median(all, ({ shares }) => shares.primary))} %`,
    `${Math.round(100 * median(all, ({ shares }) => shares.workers))} %`,
    `${Math.round(100 * median(all, ({ shares }) => shares.database))} %`,
    `${Math.round(median(all, (round) => round.serviceMicroseconds))} µs`,
    `${Math.round(median(all, (round) => round.databaseMicroseconds))} µs`,
  ]),
  notes: [
    "Processor time as a share of one core. With one worker, the primary is the whole service. The load generator shares the machine, so on few cores the rates do not grow: the processor time per request says what further cores add.",
  ],
  goals: OPERATIONS.flatMap((operation) =>
    MEASURED.map(([name, valueOf]) => {
      const [one, two] = COUNTS.map((count) => median(rounds.get(`${operation}, ${count}`) ?? [], valueOf));
      return {
        about: `${operation}, ${name} of one process to that of two workers, per request`,
        bound: "at least" as const,
        limit: MIN_GROWTH,
        value: (one ?? Number.NaN) / (two ?? Number.NaN),
        unit: "",
      };
    }),
  ),
  plot: {
    caption: "µs of CPU of the service per request, less is better",
    bars: Array.from(rounds, ([key, all]) => {
      const value = median(all, (round) => round.serviceMicroseconds);
      return { label: key, value, text: `${Math.round(value)} µs`, goal: null, isOurs: true };
    }),
  },
});
