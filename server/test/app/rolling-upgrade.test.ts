import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { connectClient } from "../../src/db/index.ts";
import { openSchemaCopy, type SchemaCopy } from "../schema/support/schema-copy.ts";
import { until } from "../support/until.ts";
import { type NodeClient, openNodeClient, PROXIED } from "./node-client.ts";
import { makeDataDir, type Program, runProgram } from "./program.ts";

const CONTRACT = "9999_agent_status_time.contract";

/** The files of the next release: it adds a column, changes a function, and later removes a column that this release uses. */
async function writeNextRelease({ edit }: SchemaCopy): Promise<void> {
  await edit("migrations/9998_agent_mood.sql", () => "alter table public.agents add column mood text;\n");
  await edit(
    `migrations/${CONTRACT}.sql`,
    () => "-- after functions\nalter table public.agents drop column status_changed_at;\n",
  );
  await edit("functions/profiles.sql", (text) => text.replace(/\bbegin\n/, "begin\n  -- next release\n"));
}

function runNode(t: TestContext, { database }: SchemaCopy, dataDir: string): Program {
  const { adminUrl, masterKey } = database;
  return runProgram(t, ["serve"], {
    env: { ...PROXIED, DATABASE_URL: adminUrl, MASTER_KEY: masterKey, DATA_DIR: dataDir },
  });
}

/** A node of this release. */
async function startNode(t: TestContext, copy: SchemaCopy): Promise<{ program: Program; node: NodeClient }> {
  const dataDir = await makeDataDir(t);
  const program = runNode(t, copy, dataDir);
  await program.waitFor("service.started");
  return { program, node: await openNodeClient(dataDir) };
}

/** Inserts, reads and deletes agents over and over. `stop` resolves with the responses that were no success. */
function keepCalling(node: NodeClient, userId: string): { count(): number; stop(): Promise<string[]> } {
  let isStopped = false;
  let count = 0;
  const failed: string[] = [];
  const note = async (response: Response): Promise<void> => {
    if (!response.ok) failed.push(`${response.status} ${await response.clone().text()}`);
    await response.text();
  };
  const calling = (async () => {
    for (; !isStopped; count += 1) {
      await note(await node.post("/rest/v1/agents", { user_id: userId, name: "Ada", framework: "provider_a" }));
      await note(await node.call("/rest/v1/agents?limit=1"));
      await note(await node.call("/rest/v1/swarms?select=*,swarm_agents(*)&limit=1"));
    }
  })();
  return {
    count: () => count,
    stop: async () => {
      isStopped = true;
      await calling;
      return failed;
    },
  };
}

/** A run that waits for the signal `upgraded`. */
async function startWait(node: NodeClient, userId: string): Promise<string> {
  const agentId = await node.add("agents", { user_id: userId, name: "Waiter", framework: "provider_a" });
  const [tool] = (await (await node.call("/rest/v1/tools?name=eq.wait_for_event&select=id")).json()) as {
    id: string;
  }[];
  await node.add("agent_tools", { agent_id: agentId, tool_id: tool?.id });
  const message = '/tool wait_for_event {"name": "upgraded", "seconds": 86400}';
  const asked = await node.post("/functions/v1/agent-respond", { agent_id: agentId, user_id: userId, message });
  const run = (await asked.json()) as { run_id: string; status: string };
  assert.equal(run.status, "waiting");
  return run.run_id;
}

describe("a release that replaces another one node by node", () => {
  it("keeps what the older nodes use until the last of them has stopped", async (t) => {
    const copy = await openSchemaCopy(t);
    await writeNextRelease(copy);
    const { program, node } = await startNode(t, copy);
    const userId = await node.addUser("ada@example.com");
    const waitingId = await startWait(node, userId);
    const calls = keepCalling(node, userId);
    await until(() => calls.count() >= 3);

    assert.deepEqual(await copy.migrate(), ["9998_agent_mood", "functions/profiles"]);
    assert.deepEqual(copy.waiting(), [CONTRACT]);
    const atMigration = calls.count();
    await until(() => calls.count() >= atMigration + 3);
    assert.deepEqual(await calls.stop(), [], "no call failed");
    const [agent] = (await (await node.call("/rest/v1/agents?limit=1")).json()) as object[];
    assert.ok(agent !== undefined && "mood" in agent && "status_changed_at" in agent);

    // A node of this release can also start now, and does not restore its own functions.
    const second = await startNode(t, copy);
    const { rows } = await copy.client.query("select 1 from pg_proc where prosrc like '%-- next release%'");
    assert.equal(rows.length, 1);
    assert.equal((await second.node.call("/rest/v1/agents?limit=1")).status, 200);

    await program.stop();
    assert.deepEqual(await copy.migrate(), []);
    assert.deepEqual(copy.waiting(), [CONTRACT]);
    const signal = { action: "signal", run_id: waitingId, name: "upgraded", data: "by the next node" };
    assert.equal((await second.node.post("/functions/v1/agent-respond", signal)).status, 200);
    const readRun = async (): Promise<unknown> => {
      const { rows: ended } = await copy.client.query(
        `select r.status, count(*)::int as answers, min(m.content) ~ 'by the next node' as is_told from public.runs r
         join public.messages m on m.run_id = r.id where r.id = $1 group by 1`,
        [waitingId],
      );
      return ended[0];
    };
    await until(async () => (await readRun()) !== undefined, "the run has answered");
    assert.deepEqual(await readRun(), { status: "completed", answers: 1, is_told: true });
    await second.program.stop();
    assert.deepEqual(await copy.migrate(), [CONTRACT]);
    assert.deepEqual(copy.waiting(), []);

    const late = runNode(t, copy, await makeDataDir(t));
    assert.equal((await late.exited).code, 1);
    assert.match(late.stderr(), new RegExp(`A newer release has removed .*\\(${CONTRACT}\\)`));
  });

  it("stops an older node whose connection was lost while the contract migration was applied", async (t) => {
    const copy = await openSchemaCopy(t);
    const { program } = await startNode(t, copy);
    await copy.client.query("insert into private.migrations (name, hash, run_on) values ($1, '', now())", [CONTRACT]);
    const { rows } = await copy.client.query(
      `select pg_terminate_backend(pid) as ended from pg_stat_activity
       where datname = current_database() and application_name = 'swarmbase-schema-level'`,
    );
    assert.deepEqual(rows, [{ ended: true }]);
    assert.equal((await program.exited).code, 1);
    assert.match(`${program.stdout()}${program.stderr()}`, /A newer release has removed/);
  });

  it("lets requests pass while a long transaction keeps its migration waiting", async (t) => {
    const copy = await openSchemaCopy(t);
    await writeNextRelease(copy);
    const [holder, reader] = [await connectClient(copy.database.adminUrl), await connectClient(copy.database.adminUrl)];
    t.after(() => Promise.all([holder.end(), reader.end()]));
    await holder.query("begin; select 1 from public.agents");
    let isMigrated = false;
    const migrating = copy.migrate().then((applied) => {
      isMigrated = true;
      return applied;
    });
    const isBlocked = async (): Promise<boolean> => {
      const { rows } = await reader.query(
        "select 1 from pg_locks where not granted and relation = 'public.agents'::regclass",
      );
      return rows.length > 0;
    };
    await until(isBlocked, "the migration waits for the table");
    await reader.query("select 1 from public.agents");
    assert.equal(isMigrated, false);
    await holder.query("commit");
    assert.deepEqual(await migrating, ["9998_agent_mood", CONTRACT, "functions/profiles"]);
  });
});
