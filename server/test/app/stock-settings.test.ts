import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { createClient } from "@supabase/supabase-js";
import pg from "pg";
import { Agent, fetch } from "undici";
import { openDatabase } from "../../src/db/index.ts";
import { TableMetadataCache } from "../../src/realtime/visibility/tables/table-metadata-cache.ts";
import { startTestCluster } from "../support/cluster.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { startStock } from "../support/forgetful-postgres.ts";
import { startServiceHere } from "../support/service-here.ts";
import { silentObserver } from "../support/silent-observer.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { RECEIVER_CA, startReceiver } from "../webhooks/support/receiver.ts";
import { WAIT_MS } from "../support/wait-limit.ts";

const RUNS_TOGETHER = 6;
/** Parts of statements whose plans have to be among those that are judged. */
const EXPECTED = [
  "private.preflight_swarms(",
  "private.admit_runs(",
  "private.advance_runs(",
  // A part of the statements that answer.
  "private.read_messages(",
  "private.fan_out_events(",
  "private.claim_webhook_deliveries(",
  "private.record_webhook_attempts(",
  // Of the description of a table for realtime.
  "with recursive needed (oid)",
];

interface PlanNode {
  readonly "Total Cost": number;
  /** Chosen although it is disabled: up to PostgreSQL 17 this adds 10^10 to the cost. */
  readonly Disabled?: boolean;
  readonly Plans?: readonly PlanNode[];
}

interface LoggedPlan {
  readonly "Query Text": string;
  /** What differs from PostgreSQL's defaults and bears on planning. */
  readonly Settings?: Readonly<Record<string, string>>;
  readonly Plan: PlanNode;
}

test("no statement of a run, a delivery or a subscription is compiled by a server with stock settings", async (t) => {
  const closers: (() => Promise<unknown>)[] = [];
  t.after(async () => {
    for (const close of closers.toReversed()) await close();
  });
  const cleanup = { after: (close: () => Promise<unknown>) => void closers.push(close) };
  const folder = await createTemporaryFolder(cleanup, "swarmbase-stock-");
  const cluster = await startTestCluster(folder, { start: startStock });
  cleanup.after(() => cluster.stop());
  const database = await createTestDatabase(cleanup, cluster);
  const { rows } = await database.owner.query(
    "select current_setting('jit') as jit, current_setting('jit_above_cost') as cost",
  );
  assert.equal(rows[0].jit, "on");
  await logPlans(database);

  const receiver = await startReceiver(cleanup);
  const authorityFile = join(folder, "receiver-ca.pem");
  await writeFile(authorityFile, RECEIVER_CA);
  const { adminUrl, masterKey } = database;
  const dataDir = await createTemporaryFolder(cleanup, "swarmbase-stock-node-");
  const service = await startServiceHere(cleanup, {
    dataDir,
    env: { DATABASE_URL: adminUrl, MASTER_KEY: masterKey, WEBHOOK_CA_FILE: authorityFile },
  });
  const { url, anon_key: anonKey, ca_cert_file: caFile } = service.credentials;
  const dispatcher = new Agent({ connect: { ca: await readFile(caFile ?? "", "utf8") } });
  cleanup.after(() => dispatcher.close());
  const supabase = createClient(url, anonKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { fetch: ((input: string, init: object) => fetch(input, { ...init, dispatcher })) as never },
  });
  const { error } = await supabase.auth.signUp({ email: "stock@example.test", password: "a-long-password" });
  assert.equal(error, null);
  const hook = { name: "hook", url: receiver.url, events: ["message.created", "swarm.completed"] };
  assert.equal((await supabase.from("webhooks").insert(hook)).error, null);
  const ask = async (swarmId: string): Promise<void> => {
    const body = { swarm_id: swarmId, message: "Is anybody there?", stream: false };
    const { data } = await supabase.functions.invoke("agent-respond", { body });
    assert.equal(data?.status, "completed");
  };
  const newSwarm = async (agents: number): Promise<string> => {
    const { data: swarm } = await supabase.from("swarms").insert({ name: "Room" }).select().single();
    const names = Array.from({ length: agents }, (_, place) => ({ name: `Ada ${place}` }));
    const { data: made } = await supabase.from("agents").insert(names).select();
    const members = (made ?? []).map((agent: { id: string }) => ({ swarm_id: swarm.id, agent_id: agent.id }));
    assert.equal((await supabase.from("swarm_agents").insert(members)).error, null);
    return swarm.id;
  };
  const swarmIds = [await newSwarm(2)];
  while (swarmIds.length < RUNS_TOGETHER) swarmIds.push(await newSwarm(1));
  // Statements for one run and for several.
  for (const swarmId of swarmIds) await ask(swarmId);
  await Promise.all(swarmIds.map(ask));
  const pools = openDatabase({ url: adminUrl, masterKey, poolSize: 1, observer: silentObserver });
  cleanup.after(() => pools.close());
  assert.ok(await new TableMetadataCache(pools.service).find("public", "messages"));

  const logFile = join(folder, "postgres.log");
  await awaitExpected(logFile);
  // What is written to the log meanwhile could be read in part.
  await service.stop();
  const plans = await readPlans(logFile);
  for (const part of EXPECTED)
    assert.ok(
      plans.some((plan) => plan["Query Text"].includes(part)),
      part,
    );
  const faults = plans.flatMap((plan) => [
    ...(usesDisabledNode(plan.Plan) ? [`planned with a method that is switched off: ${describe(plan)}`] : []),
    ...(plan.Settings?.["jit"] !== "off" && plan.Plan["Total Cost"] >= Number(rows[0].cost)
      ? [`costs ${plan.Plan["Total Cost"]} and is compiled: ${describe(plan)}`]
      : []),
  ]);
  assert.deepEqual([...new Set(faults)], []);
});

/** Of every session that begins from now on, statements within functions too. */
async function logPlans({ adminUrl }: TestDatabase): Promise<void> {
  const settings = {
    session_preload_libraries: "auto_explain",
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_nested_statements": "on",
    "auto_explain.log_settings": "on",
    "auto_explain.log_format": "json",
  };
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    for (const [name, value] of Object.entries(settings))
      await admin.query(
        `do $$ begin execute format('alter database %I set ${name} = ${value}', current_database()); end $$`,
      );
  } finally {
    await admin.end();
  }
}

/** The last deliveries come after the answers. */
async function awaitExpected(logFile: string): Promise<void> {
  for (const deadline = Date.now() + WAIT_MS; ; await wait(100)) {
    const text = await readFile(logFile, "utf8");
    const missing = EXPECTED.filter((part) => !text.includes(part));
    if (missing.length === 0) return;
    assert.ok(Date.now() < deadline, `no plan was logged of: ${missing.join(", ")}`);
  }
}

async function readPlans(logFile: string): Promise<readonly LoggedPlan[]> {
  const text = await readFile(logFile, "utf8");
  return [...text.matchAll(/ plan:\n((?:\t.*\n)+)/g)].map(([, json = ""]) => JSON.parse(json) as LoggedPlan);
}

function usesDisabledNode(node: PlanNode): boolean {
  return node.Disabled === true || (node.Plans ?? []).some(usesDisabledNode);
}

function describe(plan: LoggedPlan): string {
  return `${plan["Query Text"].replaceAll(/\s+/g, " ").slice(0, 200)} ${JSON.stringify(plan.Settings)}`;
}
