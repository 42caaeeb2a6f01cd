import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import tls from "node:tls";
import { createClient } from "@supabase/supabase-js";
import fc from "fast-check";
import { clusterOf, postmasterPid } from "../embedded/running-service.ts";
import { startTestCluster } from "../support/cluster.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { findFreePort } from "../support/free-port.ts";
import { type RunningService, startService } from "../support/service.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { WAIT_MS } from "../support/wait-limit.ts";
import { Witness } from "./chaos/witness.ts";
import { Writer } from "./chaos/writer.ts";

/** `npm run test:system -- chaos` runs more. */
const EVENTS = Number(process.env["CHAOS_EVENTS"] ?? 24);
const SEED = Number(process.env["CHAOS_SEED"] ?? Date.now() % 1_000_000);
const USERS = 3;
const WITNESSES_A_NODE = 6;
const EVENTS_BETWEEN_CHECKS = 50;
const PACE_MS = 40;

type Event = "cut a socket" | "kill a feed" | "kill a node" | "kill the database";
const WEIGHTS: readonly { readonly weight: number; readonly event: Event }[] = [
  { weight: 940, event: "cut a socket" },
  { weight: 35, event: "kill a feed" },
  { weight: 15, event: "kill a node" },
  { weight: 10, event: "kill the database" },
];
/** Enough of them for chance to bring the dear ones. */
const LONG_EVENTS = 200;
/** A short run gets each of the dear ones, and no more. */
const ALWAYS: readonly Event[] = ["kill a feed", "kill the database", "kill a node", "kill a feed"];

interface Node {
  readonly port: string;
  readonly dataDir: string;
  service: RunningService;
}

test(`after ${EVENTS} disconnects and kills of feeds, nodes and the database subscribers missed nothing and nothing leaked`, {
  skip: process.platform === "linux" ? false : "ends processes by what /proc and the cluster say",
  timeout: 1_800_000,
}, async (t) => {
  const stage = await openChaos(t);
  const { writer, witnesses } = stage;
  await stage.calm();
  const writing = new AbortController();
  const written = writer.run(writing.signal);
  const counts = new Map<Event, number>();
  for (const [at, { event, place }] of planEvents().entries()) {
    counts.set(event, (counts.get(event) ?? 0) + 1);
    await stage.cause(event, place);
    await sleep(PACE_MS * Math.random());
    if (at % EVENTS_BETWEEN_CHECKS === EVENTS_BETWEEN_CHECKS - 1) await stage.calm();
  }
  await stage.calm();
  writing.abort();
  await written;
  await stage.calm();

  for (const witness of witnesses) {
    assert.deepEqual(witness.findFaults(writer.committed.get(witness.userId) ?? []), []);
    assert.deepEqual(witness.strange, []);
  }
  const seen = witnesses.flatMap(({ watches }) => watches.map((watch) => watch.seen.length));
  const total = seen.reduce((sum, count) => sum + count, 0);
  t.diagnostic(
    `seed ${SEED}; ${[...counts].map(([event, count]) => `${event}: ${count}`).join(", ")}; ${writer.nextSeq - 1} writes, ` +
      `${total} changes seen in ${seen.length} subscriptions, none missing`,
  );
  assert.ok(total > EVENTS, "there was something to see");
  await stage.end();
});

function planEvents(): { readonly event: Event; readonly place: number }[] {
  const weights = EVENTS < LONG_EVENTS ? WEIGHTS.slice(0, 1) : WEIGHTS;
  const arbitrary = fc.record({
    event: fc.oneof(...weights.map(({ weight, event }) => ({ weight, arbitrary: fc.constant(event) }))),
    place: fc.nat(1_000),
  });
  const events = fc.sample(arbitrary, { numRuns: EVENTS, seed: SEED });
  // Spread over the run.
  for (const [at, event] of ALWAYS.entries()) {
    const index = Math.floor(((at + 0.5) * EVENTS) / ALWAYS.length);
    events[index] = { event, place: events[index]?.place ?? 0 };
  }
  return events;
}

async function openChaos(t: TestContext) {
  // Hooks run in the order in which they were added, and here what came last has to go first.
  const closers: (() => Promise<unknown>)[] = [];
  t.after(async () => {
    for (const close of closers.toReversed()) await close();
  });
  const cleanup = { after: (close: () => Promise<unknown>) => void closers.push(close) };
  const folder = await createTemporaryFolder(cleanup, "swarmbase-chaos-");
  const cluster = await startTestCluster(join(folder, "database"));
  cleanup.after(() => cluster.stop());
  const database = await createTestDatabase(cleanup, cluster);
  const nodes: Node[] = [];
  for (const name of ["a", "b"]) {
    const [dataDir, port] = [join(folder, name), String(await findFreePort())];
    const service = await startNode(cleanup, database, dataDir, port);
    nodes.push({ port, dataDir, service });
    await trust(service);
  }
  const users = await signUpUsers(nodes[0]);
  const writer = new Writer(
    database.adminUrl,
    users.map(({ id }) => id),
  );
  cleanup.after(() => writer.close());
  const witnesses = nodes.flatMap(({ service: { credentials } }) =>
    Array.from({ length: WITNESSES_A_NODE }, (_, at) => {
      const user = users[at % users.length];
      const witness = new Witness({
        url: credentials.url,
        key: credentials.anon_key,
        token: user?.token ?? "",
        userId: user?.id ?? "",
        vsn: at % 2 === 0 ? "1.0.0" : "2.0.0",
        nextSeq: () => writer.nextSeq,
      });
      cleanup.after(() => witness.close());
      return witness;
    }),
  );
  const count = async (text: string): Promise<number> =>
    (await writer.query<{ count: number }>(`select count(*)::int as count ${text}`))[0]?.count ?? -1;
  const countSlots = () => count("from pg_replication_slots where database = current_database()");
  const countConnections = () =>
    count(
      "from pg_stat_activity where datname = current_database() and usename in ('sb_user', 'sb_service', 'sb_replica')",
    );

  const calm = async (): Promise<void> => {
    await until(
      "all are subscribed",
      () => witnesses.every(({ isLive }) => isLive),
      () => describe(witnesses, nodes),
    );
    const last = new Map<string, number>();
    for (const { id } of users) last.set(id, await retry(() => writer.write(id)));
    // Somebody may be thrown out by what happened just before; then they must come back and see the next one.
    await until(
      "all see what is written now",
      async () => {
        const late = witnesses.filter((one) => !one.hasSeen(last.get(one.userId) ?? 0));
        const isStale = late.some(({ watches }) => (watches.at(-1)?.fromSeq ?? 0) > Math.min(...last.values()));
        if (isStale) for (const { id } of users) last.set(id, await retry(() => writer.write(id)));
        return late.length === 0;
      },
      () => describe(witnesses, nodes),
    );
    await until(
      "each node has one replication slot, and there are no others",
      async () => (await retry(countSlots)) === nodes.length,
    );
  };

  const cause = async (event: Event, place: number): Promise<void> => {
    const node = nodes[place % nodes.length];
    switch (event) {
      case "cut a socket":
        witnesses[place % witnesses.length]?.cut();
        return;
      case "kill a feed":
        await writer
          .query(
            `select pg_terminate_backend(active_pid) from pg_replication_slots where active_pid is not null limit 1`,
          )
          .catch(() => {});
        return;
      case "kill a node":
        if (node === undefined) return;
        await node.service.stop("SIGKILL");
        node.service = await startNode(cleanup, database, node.dataDir, node.port);
        return;
      case "kill the database":
        process.kill(postmasterPid(clusterOf(join(folder, "database"))), "SIGKILL");
        await retry(() => writer.query("select 1"));
        return;
    }
  };

  /** One dies, the other is stopped: neither leaves a slot or a connection. */
  const end = async (): Promise<void> => {
    await Promise.all(witnesses.map((witness) => witness.close()));
    const [first, second] = nodes;
    await first?.service.stop("SIGKILL");
    await until("the dead node's slot is gone", async () => (await countSlots()) === 1);
    await second?.service.stop();
    await until("the stopped node's slot is gone", async () => (await countSlots()) === 0);
    await until("no connection is left", async () => (await countConnections()) === 0);
  };
  return { writer, witnesses, calm, cause, end };
}

function startNode(
  t: { after(close: () => Promise<unknown>): void },
  database: TestDatabase,
  dataDir: string,
  port: string,
) {
  const env = {
    PORT: port,
    DATABASE_URL: database.adminUrl,
    MASTER_KEY: database.masterKey,
    AGENT_LIMIT_PER_USER: "1000000",
    LOG_LEVEL: "warn",
  };
  return startService(t, { dataDir, env });
}

async function trust({ credentials }: RunningService): Promise<void> {
  const ca = await readFile(credentials.ca_cert_file ?? "", "utf8");
  tls.setDefaultCACertificates([...tls.getCACertificates("default"), ca]);
}

async function signUpUsers(node: Node | undefined): Promise<{ readonly id: string; readonly token: string }[]> {
  const { url, anon_key } = node?.service.credentials ?? { url: "", anon_key: "" };
  const signUps = Array.from({ length: USERS }, async (_, at) => {
    const client = createClient(url, anon_key, { auth: { persistSession: false, autoRefreshToken: false } });
    const { data, error } = await client.auth.signUp({ email: `${at}@example.com`, password: "correct horse 7" });
    if (error !== null || data.session === null) throw error ?? new Error("no session");
    return { id: data.session.user.id, token: data.session.access_token };
  });
  return Promise.all(signUps);
}

async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  describeState: () => string = () => "",
): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not in time (seed ${SEED}): ${what}\n${describeState()}`);
    await sleep(20);
  }
}

/** The database may be away for a moment. */
async function retry<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(50);
    }
  }
}

function describe(witnesses: readonly Witness[], nodes: readonly Node[]): string {
  const states = witnesses.map(({ isLive, watches }) => `${isLive ? "live" : "away"}, ${watches.length} subscriptions`);
  return [...states, ...nodes.map(({ service }) => service.output().slice(-4_000))].join("\n");
}
