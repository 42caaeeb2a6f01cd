import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { makeAuthority, makeLeaf } from "../../server/src/http/server/tls/certificate.ts";
import { listDescendants } from "../agents/descendants.ts";
import { openClosers } from "../load/closers.ts";
import { openConnection, renderRequest } from "../load/http-connection.ts";
import { LENGTH_OPTIONS, pickLength } from "../load/length.ts";
import { renderGrid } from "../report/table.ts";
import { createProgress } from "../rest/progress.ts";
import { startVersion, type User, type Version } from "../versions/start-version.ts";
import { readSizes, type Sizes, subtractSizes, sumOf } from "./sizes.ts";

/** Measures memory, and disk per row, of messages, runs and deliveries. Run: npm run bench -- storage [--messages 100000] [--smoke] */
const { values } = parseArgs({
  options: {
    ...LENGTH_OPTIONS,
    messages: { type: "string" },
    runs: { type: "string" },
    deliveries: { type: "string" },
  },
});
const LENGTH = pickLength(values, {
  smoke: { messages: 1_000, runs: 8, deliveries: 10 },
  quick: { messages: 10_000, runs: 80, deliveries: 200 },
  full: { messages: 100_000, runs: 400, deliveries: 1_000 },
});
const COUNTS = {
  messages: Number(values.messages ?? LENGTH.messages),
  runs: Number(values.runs ?? LENGTH.runs),
  deliveries: Number(values.deliveries ?? LENGTH.deliveries),
};
const ROWS_AT_ONCE = 1_000;
const CALLS_AT_ONCE = 8;
/** About forty words: a sentence or two of a person, a short answer of an agent. */
const MESSAGE_LENGTH = 240;
const SETTLE_MS = 3_000;
const POLL_MS = 100;
const DAY_MS = 86_400_000;
const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

interface Measured {
  readonly name: string;
  readonly count: number;
  readonly sizes: Sizes;
  readonly walBytes: number;
}

interface Memory {
  readonly service: number;
  readonly database: number;
}

const progress = createProgress(process.stderr);
const closers = openClosers();
try {
  progress.stage("the service starts");
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-bench-"));
  closers.add(() => rm(folder, { recursive: true, force: true }));
  const receiver = await startReceiver(folder);
  const service = await startVersion({
    name: "the service",
    folder: resolve(import.meta.dirname, "../.."),
    settings: {
      PROVIDER_A_KIND: "simulated",
      ALLOW_SIMULATED: "1",
      WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8",
      WEBHOOK_CA_FILE: receiver.caFile,
    },
  });
  closers.add(() => service.stop());
  const sql = new pg.Client(service.databaseUrl);
  await sql.connect();
  closers.add(() => sql.end());
  await sleep(SETTLE_MS);
  const idle = await readMemory(service.pid);
  const user = await service.signUp();
  const [swarmId = ""] = await service.insert(user, "swarms", [{ name: "Newsroom" }]);

  const results: Measured[] = [];
  const measure = async (name: string, count: number, write: () => Promise<void>): Promise<void> => {
    progress.stage(`${count.toLocaleString("en")} ${name}`);
    await sql.query("vacuum analyze");
    const before = await readSizes(sql);
    const wal = await readWalPosition(sql);
    await write();
    const walBytes = (await readWalPosition(sql)) - wal;
    await sql.query("vacuum analyze");
    results.push({ name, count, sizes: subtractSizes(await readSizes(sql), before), walBytes });
  };
  await measure("messages", COUNTS.messages, () => insertMessages(sql, { user, swarmId, count: COUNTS.messages }));
  await measure("runs, each with two messages", COUNTS.runs, () => startRuns(service, user, COUNTS.runs));
  await measure("deliveries", COUNTS.deliveries, () => deliver(service, user, sql, receiver.url));
  const busy = await readMemory(service.pid);
  progress.end();

  const { rows } = await sql.query<{ size: string }>("select pg_database_size(current_database()) as size");
  print(
    renderGrid(
      ["", "service", "PostgreSQL", "both"],
      [
        ["idle, empty database", ...renderMemory(idle)],
        ["after the writes below", ...renderMemory(busy)],
      ],
    ),
  );
  print(
    `\n${renderGrid(
      ["a million", "tables", "indexes", "both", "write-ahead log"],
      results.map((measured) => [measured.name, ...renderMillion(measured)]),
    )}`,
  );
  print(
    `\nMeasured with ${results.map(({ count, name }) => `${count.toLocaleString("en")} ${name}`).join(", ")}; messages have ${MESSAGE_LENGTH} characters. The database has ${(Number(rows[0]?.size) / MIB).toFixed(0)} MiB now.`,
  );
  for (const { name, count, sizes } of results) {
    const largest = [...sizes]
      .map(([table, { table: data, indexes }]) => ({ table, bytes: (data + indexes) / count }))
      .filter(({ bytes }) => bytes >= 10)
      .toSorted((one, other) => other.bytes - one.bytes);
    print(`\n${name}: ${largest.map(({ table, bytes }) => `${table} ${bytes.toFixed(0)} bytes`).join(", ")}`);
  }
} catch (error) {
  if (!closers.isClosing()) throw error;
} finally {
  await closers.closeAll();
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Straight into the table, because a million requests would measure the requests. Triggers and constraints are in force. */
async function insertMessages(
  sql: pg.Client,
  { user, swarmId, count }: { readonly user: User; readonly swarmId: string; readonly count: number },
): Promise<void> {
  for (let done = 0; done < count; done += ROWS_AT_ONCE) {
    progress.step(done.toLocaleString("en"));
    await sql.query(
      `insert into public.messages (swarm_id, sender_type, sender_id, sender_user_id, sender_name, content)
       select $1, 'user', $2, $2, 'Ada Lovelace',
         left((select string_agg(md5(n::text || word::text), ' ') from generate_series(1, 10) word), $4)
       from generate_series(1, $3::integer) n`,
      [swarmId, user.id, Math.min(ROWS_AT_ONCE, count - done), MESSAGE_LENGTH],
    );
  }
}

/** Over HTTPS, each in a swarm of its own, with one agent. */
async function startRuns(service: Version, user: User, count: number): Promise<void> {
  const swarms = await service.insert(
    user,
    "swarms",
    Array.from({ length: CALLS_AT_ONCE }, () => ({ name: "Run" })),
  );
  const [agentId = ""] = await service.insert(user, "agents", [{ name: "Ann", framework: "provider_a" }]);
  await service.insert(
    user,
    "swarm_agents",
    swarms.map((swarmId) => ({ swarm_id: swarmId, agent_id: agentId })),
  );
  let left = count;
  await Promise.all(
    swarms.map(async (swarmId) => {
      const connection = await openConnection(service.target);
      const body = JSON.stringify({ swarm_id: swarmId, message: "word ".repeat(MESSAGE_LENGTH / 5) });
      const request = { method: "POST" as const, path: "/functions/v1/agent-respond", headers: user.headers, body };
      while (left-- > 0) {
        progress.step(`${left} left`);
        const { status, text } = await connection.ask(renderRequest(service.target, request));
        if (status !== 200) throw new Error(`agent-respond answered ${status}: ${text.slice(0, 200)}`);
      }
      connection.close();
    }),
  );
}

/** Events of new agents, each delivered once. */
async function deliver(service: Version, user: User, sql: pg.Client, url: string): Promise<void> {
  await service.insert(user, "webhooks", [{ name: "hook", url, events: ["agent.created"] }]);
  const agents = Array.from({ length: COUNTS.deliveries }, (_, index) => ({
    name: `Agent ${index}`,
    framework: "provider_a",
  }));
  const agentIds = await service.insert(user, "agents", agents);
  for (let delivered = 0; delivered < COUNTS.deliveries; await sleep(POLL_MS)) {
    const { rows } = await sql.query<{ count: string }>(
      "select count(*) from public.webhook_deliveries where status = 'delivered'",
    );
    delivered = Number(rows[0]?.count);
    progress.step(`${delivered} delivered`);
  }
  // The agents are not what is measured.
  await sql.query("delete from public.agents where id = any($1)", [agentIds]);
  await sql.query("vacuum full public.agents");
}

async function startReceiver(folder: string): Promise<{ readonly url: string; readonly caFile: string }> {
  const validity = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) };
  const authority = makeAuthority(validity);
  const caFile = join(folder, "ca.pem");
  await writeFile(caFile, authority.cert);
  const server = createServer(makeLeaf(authority, validity), (request, response) => {
    request.resume().on("end", () => response.writeHead(204).end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.add(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, caFile };
}

async function readWalPosition(sql: pg.Client): Promise<number> {
  const { rows } = await sql.query<{ bytes: string }>("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes");
  return Number(rows[0]?.bytes);
}

/** Proportional shares, so that memory which PostgreSQL's processes share counts once. */
async function readMemory(pid: number): Promise<Memory> {
  const read = async (one: number): Promise<number> => {
    const text = await readFile(`/proc/${one}/smaps_rollup`, "utf8").catch(() => "");
    return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024;
  };
  const database = await Promise.all(listDescendants(pid).map(read));
  return { service: await read(pid), database: database.reduce((sum, bytes) => sum + bytes, 0) };
}

function renderMemory({ service, database }: Memory): string[] {
  return [service, database, service + database].map((bytes) => `${(bytes / MIB).toFixed(0)} MiB`);
}

function renderMillion({ count, sizes, walBytes }: Measured): string[] {
  const { table, indexes } = sumOf(sizes);
  return [table, indexes, table + indexes, walBytes].map(
    (bytes) => `${(((bytes / count) * 1e6) / GIB).toFixed(2)} GiB`,
  );
}
