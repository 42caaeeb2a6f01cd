import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { openRestStage, SERVICE } from "../rest/features/rest-stage.ts";
import { openWorld, type Row } from "./support/swarms.ts";

const FORBIDDEN = "403 FORBIDDEN";

describe("messages over REST", () => {
  const opened = openRestStage();

  it("members write messages only in their own name", async () => {
    const world = await openWorld(opened.stage);
    const { owner, member, viewer, stranger } = world.people;
    const forged = { sender_type: "agent", sender_user_id: owner.userId, sender_name: "Boss", flagged: true, seq: 99 };
    const said = await world.say(member, "Hello", forged);
    assert.deepEqual(
      [said["sender_type"], said["sender_id"], said["sender_user_id"], said["flagged"], said["seq"]],
      ["user", member.userId, member.userId, false, 1],
    );
    const row = { swarm_id: world.swarm, content: "Hi" };
    for (const user of [viewer, stranger]) assert.equal(await world.outcome(user, "POST /messages", row), FORBIDDEN);
    assert.equal(
      await world.outcome(member, "POST /messages", { ...row, swarm_id: randomUUID() }),
      "404 SWARM_NOT_FOUND",
    );
    assert.equal(
      await world.outcome(member, "POST /messages", { ...row, reply_to_id: randomUUID() }),
      "404 MESSAGE_NOT_FOUND",
    );
    assert.equal((await world.say(member, "Hi", { reply_to_id: said.id }))["reply_to_id"], said.id);
    assert.equal(await world.outcome(SERVICE, "POST /messages", row), "400 VALIDATION_ERROR");
    assert.equal((await world.say(SERVICE, "Hi", { sender_user_id: member.userId }))["sender_id"], member.userId);
  });

  it("a message that a client sends twice is stored once", async () => {
    const world = await openWorld(opened.stage);
    const { member } = world.people;
    const row = { swarm_id: world.swarm, content: "Hi", client_message_id: "offline-1" };
    await world.one(member, "POST /messages", row);
    assert.equal(await world.outcome(member, "POST /messages", row), "409 23505");
    const line = "POST /messages?on_conflict=swarm_id,sender_id,client_message_id";
    const again = await world.ask(member, line, row, { prefer: "resolution=ignore-duplicates,return=representation" });
    assert.deepEqual([again.status, again.json], [201, []]);
    assert.equal(((await world.outcome(member, `GET /messages?swarm_id=eq.${world.swarm}`)) as Row[]).length, 1);
  });

  it("paging by seq returns every message once while others write", async () => {
    const world = await openWorld(opened.stage);
    const { member, viewer } = world.people;
    for (let at = 1; at <= 7; at += 1) await world.say(member, `m${at}`);
    const page = async (before: number | undefined): Promise<Row[]> => {
      const older = before === undefined ? "" : `&seq=lt.${before}`;
      const line = `GET /messages?swarm_id=eq.${world.swarm}&select=id,seq,content&order=seq.desc&limit=3${older}`;
      return (await world.outcome(viewer, line)) as Row[];
    };
    const seen: unknown[] = [];
    for (let rows = await page(undefined); rows.length > 0; rows = await page(Number(rows.at(-1)?.["seq"]))) {
      seen.push(...rows.map(({ content }) => content));
      await world.say(member, "late");
    }
    assert.deepEqual(seen, ["m7", "m6", "m5", "m4", "m3", "m2", "m1"]);
  });

  it("authors edit their messages, and each edit keeps a revision", async () => {
    const world = await openWorld(opened.stage);
    const { owner, admin, member, viewer } = world.people;
    const { id } = await world.say(member, "first");
    const line = `PATCH /messages?id=eq.${id}`;
    for (const user of [owner, admin, viewer])
      assert.equal(await world.outcome(user, line, { content: "x" }), FORBIDDEN);
    for (const content of ["second", "third"])
      assert.notEqual((await world.one(member, line, { content }))["edited_at"], null);
    await world.one(member, line, { metadata: { seen: true } });
    const revisions = (await world.outcome(
      viewer,
      `GET /message_revisions?message_id=eq.${id}&order=revision&select=revision,content,edited_by`,
    )) as Row[];
    assert.deepEqual(revisions, [
      { revision: 1, content: "first", edited_by: member.userId },
      { revision: 2, content: "second", edited_by: member.userId },
    ]);
    assert.equal(await world.outcome(member, line, { flagged: true }), "400 VALIDATION_ERROR");
    assert.equal(await world.outcome(member, line, { content: null }), "400 VALIDATION_ERROR");
  });

  it("authors, owners and admins delete messages, which stay as tombstones", async () => {
    const world = await openWorld(opened.stage);
    const { owner, admin, member, viewer } = world.people;
    const { id: mine } = await world.say(member, "mine");
    const { id: other } = await world.say(owner, "other");
    assert.equal(await world.outcome(member, `DELETE /messages?id=eq.${other}`), FORBIDDEN);
    assert.equal(await world.outcome(viewer, `DELETE /messages?id=eq.${mine}`), FORBIDDEN);
    for (const [user, id] of [
      [member, mine],
      [admin, other],
    ] as const) {
      const { status } = await world.ask(user, `DELETE /messages?id=eq.${id}`, undefined, { prefer: "" });
      assert.equal(status, 204);
      const stone = await world.one(viewer, `GET /messages?id=eq.${id}`);
      assert.deepEqual(
        [stone["content"], stone["metadata"], stone["deleted_by"], stone["deleted_at"] !== null],
        [null, {}, user.userId, true],
      );
      // Deleting it again is no fault.
      assert.equal((await world.ask(user, `DELETE /messages?id=eq.${id}`, undefined, { prefer: "" })).status, 204);
    }
    assert.deepEqual(await world.outcome(viewer, `GET /message_revisions?message_id=eq.${mine}`), []);
  });

  it("members flag messages, and owners and admins resolve the flags", async () => {
    const world = await openWorld(opened.stage);
    const { admin, member, viewer, stranger } = world.people;
    const { id } = await world.say(member, "rude");
    const flag = { message_id: id, category: "abuse", reason: "rude" };
    assert.equal(await world.outcome(stranger, "POST /message_flags", flag), "404 MESSAGE_NOT_FOUND");
    const made = await world.one(viewer, "POST /message_flags", { ...flag, source: "moderation", status: "upheld" });
    assert.deepEqual(
      [made["source"], made["status"], made["flagged_by"], made["swarm_id"]],
      ["user", "open", viewer.userId, world.swarm],
    );
    assert.equal(await world.outcome(viewer, "POST /message_flags", flag), "409 23505");
    const line = `/message_flags?id=eq.${made.id}`;
    const isFlagged = async () => (await world.one(member, `GET /messages?id=eq.${id}`))["flagged"];
    assert.equal(await isFlagged(), true);
    assert.equal(await world.outcome(viewer, `PATCH ${line}`, { status: "dismissed" }), FORBIDDEN);
    // Whose message it is sees that it is flagged, and not by whom.
    assert.deepEqual(await world.outcome(member, `GET ${line}`), []);
    for (const [status, flagged] of [
      ["upheld", true],
      ["dismissed", false],
      ["open", true],
    ] as const) {
      const settled = await world.one(admin, `PATCH ${line}`, { status });
      assert.equal(settled["resolved_by"], status === "open" ? null : admin.userId);
      assert.equal(await isFlagged(), flagged, status);
    }
    await world.one(admin, `PATCH ${line}`, { status: "upheld" });
    assert.equal(await world.outcome(viewer, `DELETE ${line}`), FORBIDDEN);
  });

  it("a message with a blocked term is CONTENT_BLOCKED or flagged", async () => {
    const world = await openWorld(opened.stage);
    const { owner, member } = world.people;
    const moderate = (action: string) =>
      world.one(owner, `PATCH /swarms?id=eq.${world.swarm}`, {
        settings: { moderation: { enabled: true, blocklist: ["rude"], action } },
      });
    await moderate("block");
    const { id } = await world.say(member, "kind");
    const { status, json } = await world.ask(member, "POST /messages", { swarm_id: world.swarm, content: "RUDE" });
    const { code, details } = json as { code: string; details: Record<string, string> };
    assert.deepEqual([status, code, Object.keys(details)], [400, "CONTENT_BLOCKED", ["content"]]);
    assert.equal(
      await world.outcome(member, `PATCH /messages?id=eq.${id}`, { content: "rude" }),
      "400 CONTENT_BLOCKED",
    );
    await moderate("flag");
    const flagged = await world.say(member, "so rude");
    assert.equal(flagged["flagged"], true);
    const [flag] = (await world.outcome(owner, `GET /message_flags?message_id=eq.${flagged.id}`)) as Row[];
    assert.deepEqual([flag?.["source"], flag?.["category"]], ["moderation", "blocklist"]);
  });

  it("messages of deleted agents and users stay, with the name of the author", async () => {
    const world = await openWorld(opened.stage);
    const { owner, member, viewer } = world.people;
    await world.one(member, `PATCH /profiles?id=eq.${member.userId}`, { full_name: "Max" });
    const agent = await world.addAgent(owner, "Ada");
    const spoken = await world.say(SERVICE, "I am Ada", { sender_type: "agent", sender_agent_id: agent.id });
    const written = await world.say(member, "I am Max");
    await world.one(owner, `DELETE /agents?id=eq.${agent.id}`);
    await opened.stage.run("delete from auth.users where id = $1", [member.userId]);
    const shown = (row: Row) => ["content", "sender_id", "sender_name", "sender_deleted"].map((key) => row[key]);
    const read = async ({ id }: Row) => shown(await world.one(viewer, `GET /messages?id=eq.${id}`));
    assert.deepEqual(await read(spoken), ["I am Ada", agent.id, "Ada", true]);
    assert.deepEqual(await read(written), ["I am Max", member.userId, "Max", true]);
  });
});

describe("people over REST", () => {
  const opened = openRestStage();

  it("users read and change their own profile and settings, and read the public part of others", async () => {
    const world = await openWorld(opened.stage);
    const { member, viewer, stranger } = world.people;
    const settings = `/user_settings?user_id=eq.${member.userId}`;
    await world.one(member, `PATCH ${settings}`, {
      theme: "dark",
      daily_token_budget: 1000,
      daily_cost_budget_usd: 0.5,
      preferences: { any: ["thing"] },
    });
    for (const body of [
      { daily_token_budget: -1 },
      { daily_token_budget: 1.5 },
      { daily_cost_budget_usd: -0.1 },
      { daily_cost_budget_usd: "much" },
      { preferences: [] },
      { default_framework: "provider_z" },
      { theme: "x".repeat(51) },
    ])
      assert.equal(
        await world.outcome(member, `PATCH ${settings}`, body),
        "400 VALIDATION_ERROR",
        JSON.stringify(body),
      );
    assert.equal(await world.outcome(member, `PATCH ${settings}`, { user_id: viewer.userId }), FORBIDDEN);
    for (const table of ["user_settings?user_id", "profiles?id"]) {
      assert.deepEqual(await world.outcome(viewer, `GET /${table}=eq.${member.userId}`), []);
      assert.equal(await world.outcome(viewer, `DELETE /${table}=eq.${viewer.userId}`), FORBIDDEN);
    }
    await world.one(member, `PATCH /profiles?id=eq.${member.userId}`, { full_name: "Max" });
    assert.equal(
      await world.outcome(member, `PATCH /profiles?id=eq.${member.userId}`, { email: "other@example.test" }),
      "400 VALIDATION_ERROR",
    );
    const card = `GET /public_profiles?id=eq.${member.userId}`;
    assert.deepEqual(await world.outcome(viewer, card), [{ id: member.userId, full_name: "Max", avatar_url: null }]);
    assert.deepEqual(await world.outcome(stranger, card), []);
  });

  it("users read runs, turns and events, and cannot write them", async () => {
    const world = await openWorld(opened.stage);
    const { owner, viewer, stranger } = world.people;
    const run = await world.one(SERVICE, "POST /runs", { swarm_id: world.swarm, strategy: "mention" });
    const usage = { payer_id: owner.userId, user_id: viewer.userId, framework: "provider_a", model: "m" };
    for (const input_tokens of [5, 7]) await world.one(SERVICE, "POST /usage_records", { ...usage, input_tokens });
    assert.equal(((await world.outcome(viewer, `GET /runs?id=eq.${run.id}`)) as Row[]).length, 1);
    assert.deepEqual(await world.outcome(stranger, `GET /runs?id=eq.${run.id}`), []);
    for (const table of [
      "runs",
      "run_turns",
      "run_events",
      "tool_executions",
      "model_calls",
      "usage_records",
      "message_revisions",
    ])
      assert.equal(await world.outcome(owner, `DELETE /${table}?swarm_id=eq.${world.swarm}`), FORBIDDEN, table);
    assert.equal(await world.outcome(owner, `PATCH /runs?id=eq.${run.id}`, { status: "queued" }), FORBIDDEN);
    const days = (await world.outcome(owner, "GET /usage_daily?select=payer_id,turns,input_tokens")) as Row[];
    assert.deepEqual(days, [{ payer_id: owner.userId, turns: 2, input_tokens: 12 }]);
    assert.deepEqual(await world.outcome(stranger, "GET /usage_daily"), []);
  });
});
