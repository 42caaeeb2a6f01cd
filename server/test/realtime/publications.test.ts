import assert from "node:assert/strict";
import { describe, it } from "node:test";
import pg from "pg";
import { bind, openFeedStage, principalOf } from "./feed-stage.ts";
import { until } from "../support/until.ts";

/** The tables of the feed, without those of the service. */
const SELECT_FEED = `select schemaname || '.' || tablename as name from pg_publication_tables
  where pubname = 'swarmbase_feed' and schemaname = 'app' order by 1`;

describe("publications", () => {
  const opened = openFeedStage();
  const service = principalOf("service_role");
  const run = async (sql: string): Promise<void> => void (await opened.stage.database.owner.query(sql));
  const runAsSuperuser = async (sql: string): Promise<void> => {
    const admin = new pg.Client({ connectionString: opened.stage.database.adminUrl });
    await admin.connect();
    try {
      await admin.query(sql);
    } finally {
      await admin.end();
    }
  };
  const listFeed = async (): Promise<string[]> => {
    const { rows } = await opened.stage.database.owner.query<{ name: string }>(SELECT_FEED);
    return rows.map(({ name }) => name);
  };

  it("the owner drops, creates and alters supabase_realtime with column lists and row filters while the feed stays live", async () => {
    const { stage, node } = opened;
    const owner = await stage.newUser();
    const agents = await stage.subscribe(node, principalOf(owner), [bind("agents")]);
    await run(`create schema app; grant usage on schema app to service_role;
      create table app.notes (id int primary key, text text, secret text);
      create table app.tasks (id int primary key, text text);
      grant select on app.notes, app.tasks to service_role`);
    await assert.rejects(
      stage.subscribe(node, service, [bind("notes", { schema: "app" })]),
      /app.notes is not in the publication/,
    );
    // As Supabase's guides do it.
    await run("begin; drop publication if exists supabase_realtime; create publication supabase_realtime; commit");
    await run("alter publication supabase_realtime add table app.notes (id, text)");
    await run("alter publication swarmbase add table app.notes, app.tasks");
    const notes = await stage.subscribe(node, service, [bind("notes", { schema: "app" })]);
    await run("insert into app.notes values (1, 'one', 'hidden')");
    assert.deepEqual((await notes.next())[0]?.record, { id: 1, text: "one", secret: "hidden" });

    await run("alter publication supabase_realtime set table app.notes where (id > 100), app.tasks (id)");
    await run("insert into app.notes values (2, 'two', null)");
    await run("alter publication swarmbase drop table app.notes");
    await run("update app.notes set text = 'second' where id = 2");
    const both = await notes.next(2);
    assert.deepEqual(
      both.map(({ type, record }) => [type, record?.["text"]]),
      [
        ["INSERT", "two"],
        ["UPDATE", "second"],
      ],
    );

    const id = await stage.newAgent(owner, { name: "Ada" });
    assert.equal((await agents.next())[0]?.record?.["id"], id);
    assert.deepEqual([agents.losses, notes.losses, node.changes.liveCount()], [[], [], 1]);
  });

  it("a table that leaves all publications is no longer sent, and comes back when it is created and added again", async () => {
    const { stage, node } = opened;
    const all = await stage.subscribe(node, service, [bind("*", { schema: "app" })]);
    await run(
      "alter publication supabase_realtime set table app.tasks; alter publication swarmbase drop table app.tasks",
    );
    await run("insert into app.notes values (3, 'unheard', null); insert into app.tasks values (1, 'heard')");
    assert.equal((await all.next())[0]?.table, "tasks");
    await until(async () => (await listFeed()).join() === "app.tasks");
    await run(
      "drop table app.tasks; create table app.tasks (id int primary key, other text); grant select on app.tasks to service_role",
    );
    await run("alter publication supabase_realtime add table app.tasks");
    const again = await stage.subscribe(node, service, [bind("*", { schema: "app" })]);
    await run("insert into app.tasks values (1, 'new')");
    assert.deepEqual((await again.next())[0]?.record, { id: 1, other: "new" });
    assert.equal(node.changes.liveCount(), 1);
  });

  it("the kinds of changes that a publication publishes are those that clients receive", async () => {
    const { stage, node } = opened;
    await run("alter publication supabase_realtime set (publish = 'insert, delete')");
    const tasks = await stage.subscribe(node, service, [bind("tasks", { schema: "app" })]);
    await run(
      "insert into app.tasks values (5); update app.tasks set other = 'x' where id = 5; delete from app.tasks where id = 5",
    );
    assert.deepEqual(
      (await tasks.next(2)).map(({ type }) => type),
      ["INSERT", "DELETE"],
    );
    // Without a replica identity its updates would fail if the feed included it.
    await run(`alter publication supabase_realtime set (publish = 'insert');
      create table app.keyless (text text); grant select on app.keyless to service_role;
      alter publication supabase_realtime add table app.keyless`);
    await assert.rejects(
      stage.subscribe(node, service, [bind("keyless", { schema: "app" })]),
      /not in the publication/,
    );
    await run("insert into app.keyless values ('a'); update app.keyless set text = 'b'");
    await run("drop table app.keyless; alter publication supabase_realtime set (publish = 'insert, update, delete')");
  });

  it("a publication of all tables leaves out the queue, the service's schemas and tables of other roles", async () => {
    const { stage, node } = opened;
    const { database } = stage;
    await run(`create table app.parts (id int, at date, primary key (id, at)) partition by range (at);
      create table app.parts_2026 partition of app.parts for values from ('2026-01-01') to ('2027-01-01');
      grant select on app.parts to service_role; drop publication supabase_realtime`);
    await runAsSuperuser(`create table app.foreign (id int primary key); grant select on app.foreign to service_role;
      create publication supabase_realtime for all tables`);
    const parts = await stage.subscribe(node, service, [bind("parts", { schema: "app" })]);
    await run("insert into app.parts values (1, '2026-05-05')");
    assert.deepEqual((await parts.next())[0]?.record, { id: 1, at: "2026-05-05" });
    assert.deepEqual(await listFeed(), ["app.notes", "app.parts", "app.tasks"]);
    const { rows } = await database.owner.query(
      `select tablename from pg_publication_tables where pubname = 'swarmbase_feed'
       and (schemaname in ('private', 'realtime') or tablename like 'webhook_deliver%')`,
    );
    // It decides who sees the rows of a swarm, as memberships do.
    assert.deepEqual(rows, [{ tablename: "hidden_swarms" }]);
    await assert.rejects(
      stage.subscribe(node, service, [bind("webhook_deliveries")]),
      /public.webhook_deliveries is not in the publication and cannot be added to it; join the private channel webhook:<id> instead/,
    );
    await assert.rejects(stage.subscribe(node, service, [bind("users", { schema: "auth" })]), /There is no table/);
    await runAsSuperuser("drop publication supabase_realtime");
    await run("create publication supabase_realtime for table app.notes");
    assert.equal(node.changes.liveCount(), 1);
  });

  it("changes of evals are sent to their owner alone", async () => {
    const { stage, node } = opened;
    const [owner, other] = [await stage.newUser(), await stage.newUser()];
    const tables = ["eval_datasets", "eval_cases", "eval_runs", "eval_results"];
    const bindings = tables.map((table, index) => bind(table, { id: index + 1 }));
    const mine = await stage.subscribe(node, principalOf(owner), bindings);
    const others = await stage.subscribe(node, principalOf(other), bindings);
    const { id: dataset_id } = await stage.insert(owner, "eval_datasets", { name: "support" });
    const asked = { input: "hello", expectation: { kind: "exact", text: "yes" } };
    const { id: case_id } = await stage.insert(owner, "eval_cases", { dataset_id, name: "a", ...asked });
    const { id: eval_run_id } = await stage.insert(owner, "eval_runs", { dataset_id, agent_version: 1 });
    const result = { eval_run_id, case_id, case_name: "a", ...asked, passed: true };
    const { id: resultId } = await stage.insert(owner, "eval_results", result);
    await stage.update(owner, "eval_runs", eval_run_id, { status: "completed", passed_count: 1 });
    await stage.remove(owner, "eval_datasets", dataset_id);
    const listDeleted = () => mine.received.filter(({ type }) => type === "DELETE");
    await mine.until(() => listDeleted().length === 4);
    const { received } = mine;
    assert.deepEqual(
      received.slice(0, 5).map(({ type, table, record }) => [type, table, record?.["id"]]),
      [
        ["INSERT", "eval_datasets", dataset_id],
        ["INSERT", "eval_cases", case_id],
        ["INSERT", "eval_runs", eval_run_id],
        ["INSERT", "eval_results", resultId],
        ["UPDATE", "eval_runs", eval_run_id],
      ],
    );
    assert.equal(received[4]?.record?.["status"], "completed");
    // The rows of a dataset are deleted with it.
    assert.deepEqual(
      new Map(listDeleted().map(({ table, old_record: old }) => [table, old])),
      new Map([dataset_id, case_id, eval_run_id, resultId].map((id, index) => [tables[index], { id, user_id: owner }])),
    );
    await stage.settle(node);
    assert.deepEqual(others.received, []);
  });

  it("the service restores the publication of its feed", async () => {
    const { stage } = opened;
    const node = stage.startNode();
    await run("drop publication swarmbase_feed");
    await until(async () => (await listFeed()).join() === "app.notes");
    const notes = await stage.subscribe(node, service, [bind("notes", { schema: "app" })]);
    await run("insert into app.notes values (9, 'nine', null)");
    assert.equal((await notes.next())[0]?.record?.["id"], 9);
    await node.stop();
  });
});
