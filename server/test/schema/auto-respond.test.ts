import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openSwarmFixture, type SwarmFixture } from "./support/swarm-fixture.ts";
import { openStage, type Stage } from "./support/stage.ts";
import { until } from "../support/until.ts";

const opened = openStage();

async function openRespondingSwarm(): Promise<SwarmFixture> {
  const fixture = await openSwarmFixture(opened.stage);
  await fixture.stage.update(fixture.owner, "swarms", fixture.swarm, {
    settings: { auto_respond: true },
    strategy: "mention",
  });
  return fixture;
}

const runsOf = ({ stage, swarm }: SwarmFixture) =>
  stage.run("internal", "select * from public.runs where swarm_id = $1 order by queued_at, id", [swarm]);
const say = ({ stage, member, swarm }: SwarmFixture, content = "Hi") =>
  stage.insert(member, "messages", { swarm_id: swarm, content });

/** Until somebody waits for what this test holds. */
async function waitsForLock(stage: Stage): Promise<void> {
  const text =
    "select 1 from pg_locks l join pg_stat_activity a using (pid) where not granted and a.datname = current_database()";
  await until(async () => (await stage.database.owner.query(text)).rowCount !== 0, "somebody waits");
}

describe("auto_respond", () => {
  it("queues a run for a plain message, with its lease and its first events", async () => {
    const fixture = await openRespondingSwarm();
    const { stage, member, swarm } = fixture;
    const message = await say(fixture);
    const [run, ...others] = await runsOf(fixture);
    assert.ok(run !== undefined && others.length === 0);
    assert.deepEqual(
      [run["status"], run["user_id"], run["message_id"], run["strategy"], run["request"]],
      ["queued", member, message.id, "mention", { source: "auto_respond" }],
    );
    const [lease] = await stage.run("internal", "select owner, fence from private.run_leases where run_id = $1", [
      run.id,
    ]);
    assert.deepEqual(lease, { owner: null, fence: "0" });
    const text = "select seq, type, data from public.run_events where run_id = $1 order by seq";
    const [created, queued, ...more] = await stage.run("internal", text, [run.id]);
    assert.ok(created !== undefined);
    assert.deepEqual([created["seq"], created["type"], more], [1, "message.created", []]);
    const { message: stored, ...ids } = created["data"] as Record<string, Record<string, unknown>>;
    assert.deepEqual(ids, { run_id: run.id, swarm_id: swarm, message_id: message.id });
    assert.deepEqual([stored?.["content"], stored?.["sender_user_id"]], ["Hi", member]);
    const data = { run_id: run.id, swarm_id: swarm, status: "queued", position: 1 };
    assert.deepEqual(queued, { seq: 2, type: "run.queued", data });
  });

  it("marks runs for messages that the service role stores for non-members", async () => {
    const fixture = await openRespondingSwarm();
    const { stage, swarm } = fixture;
    const guest = await stage.newUser();
    const message = { swarm_id: swarm, sender_type: "user", sender_user_id: guest, content: "Hi" };
    await stage.insert("service_role", "messages", message);
    const [run] = await runsOf(fixture);
    assert.deepEqual([run?.["user_id"], run?.["request"]], [guest, { source: "auto_respond", by_service: true }]);
  });

  it("keeps one run waiting, and queues another when that one has started", async () => {
    const fixture = await openRespondingSwarm();
    const { stage, member, swarm } = fixture;
    const text = "insert into messages (swarm_id, content) values ($1, 'a'), ($1, 'b') returning id, seq";
    const rows = await stage.run(member, text, [swarm]);
    await Promise.all([say(fixture), say(fixture), say(fixture)]);
    const [first, ...none] = await runsOf(fixture);
    assert.ok(first !== undefined && none.length === 0);
    assert.equal(first["message_id"], rows.at(-1)?.id);
    await stage.run("internal", "select private.start_run($1, 'node', 30000)", [first.id]);
    await say(fixture);
    assert.deepEqual(
      (await runsOf(fixture)).map(({ status }) => status),
      ["running", "queued"],
    );
  });

  it("is not passed over when the waiting run starts at the same moment", async () => {
    const fixture = await openRespondingSwarm();
    const { stage } = fixture;
    await say(fixture);
    const [first] = await runsOf(fixture);
    let later: Promise<unknown> = Promise.resolve();
    await stage.transaction("internal", async (query) => {
      await query("select private.start_run($1, 'node', 30000)", [first?.id]);
      later = say(fixture, "did you hear?");
      await waitsForLock(stage);
    });
    await later;
    assert.deepEqual(
      (await runsOf(fixture)).map(({ status }) => status),
      ["running", "queued"],
    );
  });

  it("answers what the service role says for a user, and nothing that is no user's plain message", async () => {
    const fixture = await openRespondingSwarm();
    const { stage, member, swarm, agent, message } = fixture;
    const row = { swarm_id: swarm, content: "Hi" };
    await stage.insert("internal", "messages", { ...row, sender_user_id: member });
    await stage.insert("service_role", "messages", { ...row, sender_type: "agent", sender_agent_id: agent });
    await stage.insert("service_role", "messages", { ...row, sender_type: "system" });
    await stage.update(member, "messages", message, { content: "edited" });
    assert.deepEqual(await runsOf(fixture), []);
    await stage.insert("service_role", "messages", { ...row, sender_user_id: member });
    assert.deepEqual(
      (await runsOf(fixture)).map(({ user_id }) => user_id),
      [member],
    );
  });

  it("stays silent in a swarm that is not active, has nobody to answer, or has not asked for it", async () => {
    for (const [table, change] of [
      ["swarms", { settings: {} }],
      ["swarms", { settings: { auto_respond: false } }],
      ["swarms", { status: "paused" }],
      ["swarms", { status: "completed" }],
      ["swarms", { status: "archived" }],
      ["swarm_agents", { enabled: false }],
    ] as const) {
      const fixture = await openRespondingSwarm();
      const key = table === "swarms" ? "id" : "swarm_id";
      const [column, value] = Object.entries(change)[0] ?? [];
      const given = typeof value === "object" ? JSON.stringify(value) : value;
      await fixture.stage.run(fixture.owner, `update ${table} set ${column} = $2 where ${key} = $1`, [
        fixture.swarm,
        given,
      ]);
      await say(fixture);
      assert.deepEqual(await runsOf(fixture), [], JSON.stringify(change));
    }
  });
});
