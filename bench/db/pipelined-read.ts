import { rm, mkdtemp, chmod } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FairPool } from "@swarmbase/postgres";
import pg from "pg";
import { derivePassword, newMasterKey } from "../../server/src/crypto/index.ts";
import {
  buildScope,
  migrate,
  openDatabase,
  runPipelined,
  type TransactionScope,
  startEmbedded,
  withDatabase,
  withRole,
} from "../../server/src/db/index.ts";
import { createObserver } from "../../server/src/observe/index.ts";

/**
 * Compares ways to read one agent by id under row-level security, with role, claims and a live session. Run: node -C
 * swarmbase-source bench/db/pipelined-read.ts
 */
const USERS = 1_000;
const AGENTS_PER_USER = 20;
const CONNECTIONS = 8;
const READERS = 32;
const ROUNDS = 3;
const ROUND_MS = 500;

const READ = "select coalesce(json_agg(t), '[]')::text from (select * from public.agents where id = $1) t";
const STORE = `
  insert into auth.users (id, email) select gen_random_uuid(), n || '@example.test' from generate_series(1, ${USERS}) n;
  insert into auth.sessions (id, user_id, refresh_key_wrapped, refreshed_at) select gen_random_uuid(), id, '', now() from auth.users;
  insert into public.agents (user_id, name, system_prompt)
    select u.id, 'Agent ' || n, repeat('Be brief. ', 20) from auth.users u, generate_series(1, ${AGENTS_PER_USER}) n;
  analyze`;

interface Target {
  readonly id: string;
  readonly scope: TransactionScope;
}

interface Way {
  readonly name: string;
  read(target: Target): Promise<string>;
}

interface Measurement {
  reads: number;
  seconds: number;
  cpuMicroseconds: number;
}

// The driver warns about its queue, which the second way uses deliberately.
process.noDeprecation = true;
const observer = createObserver({ level: "fatal", format: "json" });
const folder = await mkdtemp(join(tmpdir(), "swarmbase-bench-"));
await chmod(folder, 0o711);
const masterKey = newMasterKey();
const superuserPassword = derivePassword(masterKey, "postgres");
const server = await startEmbedded({ dataDir: folder, wantedPort: 0, superuserPassword, observer });
try {
  await compare(server.adminUrl);
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

async function compare(adminUrl: string): Promise<void> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  await admin.query("create database bench");
  await admin.end();
  const url = withDatabase(adminUrl, "bench");
  await migrate({ adminUrl: url, masterKey, observer, settings: { agentLimitPerUser: 100 } });
  const owner = new pg.Pool({
    connectionString: withRole(url, "swarmbase_owner", derivePassword(masterKey, "swarmbase_owner")),
    max: CONNECTIONS,
  });
  const database = openDatabase({ url, masterKey, poolSize: CONNECTIONS, observer });
  try {
    await owner.query(STORE);
    const targets = await loadTargets(owner);
    process.stdout.write(renderTable(await measure(listWays(database.user, owner), targets)));
  } finally {
    await database.close();
    await owner.end();
  }
}

async function loadTargets(owner: pg.Pool): Promise<readonly Target[]> {
  const { rows } = await owner.query<{ id: string; user_id: string; session_id: string }>(
    `select a.id, a.user_id, s.id as session_id from public.agents a join auth.sessions s using (user_id) order by random()`,
  );
  return rows.map(({ id, user_id, session_id }) => ({
    id,
    scope: {
      role: "authenticated",
      claims: {
        sub: user_id,
        role: "authenticated",
        session_id,
        aud: "authenticated",
        email: `${user_id}@example.test`,
      },
      schemas: ["public"],
      statementTimeoutMs: 8000,
      isReadOnly: true,
      session: { userId: user_id, sessionId: session_id, inactivitySeconds: 0 },
      request: { method: "GET", path: "/rest/v1/agents", headers: { accept: "application/json", host: "localhost" } },
    },
  }));
}

function listWays(users: FairPool, owner: pg.Pool): readonly Way[] {
  return [
    {
      name: "begin, enter, select, commit, awaited",
      read: ({ id, scope }) =>
        withClient(users, async (client) => {
          const { text, values } = buildScope(scope);
          await client.query("begin");
          await client.query(text, [...values]);
          const result = await client.query<{ coalesce: string }>(READ, [id]);
          await client.query("commit");
          return result.rows[0]?.coalesce ?? "";
        }),
    },
    {
      name: "the same, queued",
      read: ({ id, scope }) =>
        withClient(users, async (client) => {
          const { text, values } = buildScope(scope);
          const [, , result] = await Promise.all([
            client.query("begin"),
            client.query(text, [...values]),
            client.query<{ coalesce: string }>(READ, [id]),
            client.query("commit"),
          ]);
          return result.rows[0]?.coalesce ?? "";
        }),
    },
    {
      name: "runPipelined",
      read: async ({ id, scope }) => {
        const [result] = await runPipelined(users, { scope, statements: [{ text: READ, values: [id] }] });
        return result?.rows[0]?.[0] ?? "";
      },
    },
    {
      name: "runPipelined without the session check",
      read: async ({ id, scope: { session: _, ...scope } }) => {
        const [result] = await runPipelined(users, { scope, statements: [{ text: READ, values: [id] }] });
        return result?.rows[0]?.[0] ?? "";
      },
    },
    {
      name: "runPipelined with reset",
      read: async ({ id, scope }) => {
        const [result] = await runPipelined(users, {
          scope,
          statements: [{ text: READ, values: [id] }],
          resetAfter: true,
        });
        return result?.rows[0]?.[0] ?? "";
      },
    },
    {
      name: "one prepared select without rules",
      read: async ({ id }) => {
        const result = await owner.query<{ coalesce: string }>({ name: "read", text: READ, values: [id] });
        return result.rows[0]?.coalesce ?? "";
      },
    },
  ];
}

async function withClient(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<string>): Promise<string> {
  const client = await pool.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}

/** The ways alternate, so that other load of the machine affects all of them. */
async function measure(ways: readonly Way[], targets: readonly Target[]): Promise<ReadonlyMap<string, Measurement>> {
  const totals = new Map<string, Measurement>();
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const way of ways) {
      const result = await measureRound(way, targets);
      // The first round is a warm-up.
      if (round === 0) continue;
      const sum = totals.get(way.name) ?? { reads: 0, seconds: 0, cpuMicroseconds: 0 };
      sum.reads += result.reads;
      sum.seconds += result.seconds;
      sum.cpuMicroseconds += result.cpuMicroseconds;
      totals.set(way.name, sum);
    }
  }
  return totals;
}

async function measureRound(way: Way, targets: readonly Target[]): Promise<Measurement> {
  let reads = 0;
  const begunMs = performance.now();
  const begunCpu = process.cpuUsage();
  const read = async (reader: number): Promise<void> => {
    for (let at = reader; performance.now() - begunMs < ROUND_MS; at += READERS) {
      const target = targets[at % targets.length];
      if (target === undefined) throw new Error("there is nothing to read");
      const text = await way.read(target);
      if (!text.includes(target.id)) throw new Error(`${way.name} read something else: ${text}`);
      reads += 1;
    }
  };
  await Promise.all(Array.from({ length: READERS }, (_, reader) => read(reader)));
  const { user, system } = process.cpuUsage(begunCpu);
  return { reads, seconds: (performance.now() - begunMs) / 1_000, cpuMicroseconds: user + system };
}

function renderTable(totals: ReadonlyMap<string, Measurement>): string {
  const [first] = totals.values();
  if (first === undefined) return "";
  const lines = [
    `${READERS} readers, ${CONNECTIONS} connections, ${USERS * AGENTS_PER_USER} agents of ${USERS} users`,
    "",
    "| way | reads/s | to the first | Node CPU per read |",
    "|---|---:|---:|---:|",
  ];
  for (const [name, { reads, seconds, cpuMicroseconds }] of totals) {
    const ratio = reads / seconds / (first.reads / first.seconds);
    const cpu = (cpuMicroseconds / reads).toFixed(0);
    lines.push(`| ${name} | ${(reads / seconds).toFixed(0)} | ${ratio.toFixed(2)} | ${cpu} µs |`);
  }
  return `${lines.join("\n")}\n`;
}
