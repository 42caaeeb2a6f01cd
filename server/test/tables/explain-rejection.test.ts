import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { WEBHOOK_LIMIT_PER_USER } from "@swarmbase/sdk";
import pg from "pg";
import { AppError } from "../../src/errors/index.ts";
import type { TableRules } from "../../src/rest/index.ts";
import { createTableRules } from "../../src/tables/index.ts";
import { type Caller, openStage } from "../schema/support/stage.ts";
import { attempt } from "./support/attempts.ts";
import { principalOf, type RejectedWrite, rejectionOf } from "./support/rejections.ts";

const HOOK = { name: "Hook", url: "https://hooks.example.com/x", events: ["agent.created"] };

describe("writes that the database rejects", () => {
  const opened = openStage();
  let pool: pg.Pool;
  let rules: TableRules;
  before(() => {
    pool = new pg.Pool({ connectionString: opened.stage.database.url("sb_service"), max: 2 });
    pool.on("error", () => {});
    rules = createTableRules({ pool });
  });
  after(() => pool.end());

  const rejectionFor = (caller: Caller, write: RejectedWrite) => rejectionOf(opened.stage, rules, caller, write);

  async function assertRejected(
    caller: Caller,
    write: RejectedWrite,
    code: string,
    places: readonly string[] = [],
  ): Promise<void> {
    const error = await rejectionFor(caller, write);
    const shown = `${JSON.stringify(write)} ${error.code} ${error.message}`;
    assert.ok(error instanceof AppError, shown);
    assert.equal(error.code, code, shown);
    assert.deepEqual(Object.keys(error.extra.details ?? {}), places, shown);
    // Nothing of the database's own words about policies and relations.
    assert.doesNotMatch(error.message, /policy|relation|violates|constraint/, shown);
  }

  it("a violated check is reported by field", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const agent = await stage.newAgent(user);
    const hook = await stage.listen(user);
    const swarm = await stage.newSwarm(user);
    const message = (await stage.insert(user, "messages", { swarm_id: swarm, content: "a" })).id;
    const cases: [string, string, Record<string, unknown>, string][] = [
      ["agents", agent, { name: "" }, "name"],
      ["agents", agent, { name: null }, "name"],
      ["agents", agent, { avatar: "x" }, "avatar"],
      ["agents", agent, { system_prompt: "a".repeat(100_001) }, "system_prompt"],
      ["agents", agent, { settings: "[]" }, "settings"],
      ["agents", agent, { settings: { k: "a".repeat(40_000) } }, "settings"],
      ["agents", agent, { settings: { temperature: 3 } }, "settings.temperature"],
      ["agents", agent, { settings: { max_tokens: 0 } }, "settings.max_tokens"],
      ["agents", agent, { settings: { stop: 1 } }, "settings.stop"],
      ["agents", agent, { status: "asleep" }, "status"],
      ["agents", agent, { id: randomUUID() }, "id"],
      ["webhooks", hook, { events: [] }, "events"],
      ["webhooks", hook, { secret: "known" }, "secret"],
      ["webhooks", hook, { headers: { Host: "x" } }, "headers"],
      ["webhooks", hook, { retry_count: 11 }, "retry_count"],
      ["webhooks", hook, { api_version: "2000-01-01" }, "api_version"],
      ["swarms", swarm, { coordinator_agent_id: agent }, "coordinator_agent_id"],
      ["messages", message, { content: null }, "content"],
      ["messages", message, { content: "" }, "content"],
      ["messages", message, { flagged: true }, "flagged"],
    ];
    for (const [table, id, row, place] of cases)
      await assertRejected(user, { table, operation: "update", row, id }, "VALIDATION_ERROR", [place]);
    await assertRejected(user, { table: "agents", operation: "insert", row: {} }, "VALIDATION_ERROR", ["name"]);
    await assertRejected(
      "service_role",
      { table: "agents", operation: "insert", row: { name: "Ada" } },
      "VALIDATION_ERROR",
      ["user_id"],
    );
    await assertRejected(user, { table: "agent_tools", operation: "insert", row: {} }, "VALIDATION_ERROR", [
      "agent_id",
    ]);
    await assertRejected(
      "service_role",
      { table: "messages", operation: "insert", row: { swarm_id: swarm, content: "a" } },
      "VALIDATION_ERROR",
      ["sender_user_id"],
    );
    await assertRejected(
      user,
      { table: "swarm_members", operation: "insert", row: { swarm_id: swarm } },
      "VALIDATION_ERROR",
      ["user_id"],
    );
  });

  it("checks with a specific code report it", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const agent = await stage.newAgent(user);
    const hook = await stage.listen(user);
    await assertRejected(
      user,
      { table: "agents", operation: "update", row: { framework: "x" }, id: agent },
      "INVALID_FRAMEWORK",
      ["framework"],
    );
    const created = await rejectionFor(user, {
      table: "agents",
      operation: "insert",
      row: { name: "Ada", framework: "x" },
    });
    assert.ok(created instanceof AppError && created.code === "VALIDATION_ERROR");
    assert.deepEqual(created.extra.errors, [{ field: "framework", code: "INVALID_FRAMEWORK" }]);
    await assertRejected(
      user,
      { table: "webhooks", operation: "update", row: { url: "http://x" }, id: hook },
      "INVALID_URL",
      ["url"],
    );
    await assertRejected(
      user,
      { table: "webhooks", operation: "insert", row: { ...HOOK, events: ["*"] } },
      "INVALID_EVENTS",
      ["events"],
    );
    const secret = await rejectionFor(user, { table: "webhooks", operation: "update", row: { secret: "x" }, id: hook });
    assert.match(secret.message, /regenerate_secret/);
  });

  it("an agent beyond the limit is AGENT_LIMIT_REACHED", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    await stage.run(user, "insert into agents (name) select 'a' from generate_series(1, 100)");
    await assertRejected(user, { table: "agents", operation: "insert", row: { name: "Ada" } }, "AGENT_LIMIT_REACHED");
  });

  it("a webhook beyond the limit is rejected with the limit", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const many = `insert into webhooks (name, url, events) select 'a', 'https://example.com', '{agent.created}'
                  from generate_series(1, $1::int)`;
    await stage.run(user, many, [WEBHOOK_LIMIT_PER_USER]);
    const write: RejectedWrite = { table: "webhooks", operation: "insert", row: HOOK };
    await assertRejected(user, write, "VALIDATION_ERROR", ["user_id"]);
    assert.match((await rejectionFor(user, write)).message, new RegExp(`at most ${WEBHOOK_LIMIT_PER_USER} webhooks`));
  });

  it("a reference to a missing row has a specific code", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const [agent, swarm] = [await stage.newAgent(user), await stage.newSwarm(user)];
    const gone = randomUUID();
    const cases: [Caller, string, Record<string, unknown>, string, string][] = [
      [user, "agent_tools", { agent_id: gone, tool_id: gone }, "AGENT_NOT_FOUND", "agent_id"],
      [user, "agent_tools", { agent_id: agent, tool_id: gone }, "TOOL_NOT_FOUND", "tool_id"],
      ["service_role", "agent_tools", { agent_id: agent, tool_id: gone }, "TOOL_NOT_FOUND", "tool_id"],
      [user, "swarm_agents", { swarm_id: swarm, agent_id: gone }, "AGENT_NOT_FOUND", "agent_id"],
      [user, "swarm_agents", { swarm_id: gone, agent_id: agent }, "SWARM_NOT_FOUND", "swarm_id"],
      [user, "messages", { swarm_id: gone, content: "a" }, "SWARM_NOT_FOUND", "swarm_id"],
      [user, "messages", { swarm_id: swarm, content: "a", reply_to_id: gone }, "MESSAGE_NOT_FOUND", "reply_to_id"],
      [user, "message_flags", { message_id: gone }, "MESSAGE_NOT_FOUND", "message_id"],
      [user, "swarm_members", { swarm_id: gone, user_id: user }, "SWARM_NOT_FOUND", "swarm_id"],
      [user, "swarm_members", { swarm_id: swarm, user_id: gone }, "VALIDATION_ERROR", "user_id"],
      ["service_role", "agents", { name: "Ada", user_id: gone }, "VALIDATION_ERROR", "user_id"],
    ];
    for (const [caller, table, row, code, place] of cases)
      await assertRejected(caller, { table, operation: "insert", row }, code, [place]);
    await assertRejected(
      user,
      { table: "swarms", operation: "update", row: { coordinator_agent_id: gone }, id: swarm },
      "AGENT_NOT_FOUND",
      ["coordinator_agent_id"],
    );
  });

  it("another user's agent is PERMISSION_DENIED, everything else FORBIDDEN", async () => {
    const { stage } = opened;
    const [user, other] = [await stage.newUser(), await stage.newUser()];
    const [agent, foreign] = [await stage.newAgent(user), await stage.newAgent(other)];
    const [swarm, closed] = [await stage.newSwarm(user), await stage.newSwarm(other)];
    const tool = (await stage.insert(user, "tools", { name: "mine", description: "d" })).id;
    const kept = (await stage.insert(other, "tools", { name: "kept", description: "d" })).id;
    const assignment = (await stage.insert(user, "agent_tools", { agent_id: agent, tool_id: tool })).id;
    const hook = await stage.listen(user);
    const foreignHook = await stage.listen(other);
    const cases: [RejectedWrite, string][] = [
      [{ table: "agents", operation: "insert", row: { name: "Ada", user_id: other } }, "PERMISSION_DENIED"],
      [{ table: "agents", operation: "update", row: { user_id: other }, id: agent }, "PERMISSION_DENIED"],
      [{ table: "agents", operation: "upsert", row: { id: foreign, name: "Mine" } }, "PERMISSION_DENIED"],
      [{ table: "agent_tools", operation: "insert", row: { agent_id: foreign, tool_id: tool } }, "PERMISSION_DENIED"],
      [{ table: "agent_tools", operation: "update", row: { user_id: other }, id: assignment }, "PERMISSION_DENIED"],
      [{ table: "agent_tools", operation: "insert", row: { agent_id: agent, tool_id: kept } }, "FORBIDDEN"],
      [
        { table: "swarm_agents", operation: "insert", row: { swarm_id: swarm, agent_id: foreign } },
        "PERMISSION_DENIED",
      ],
      [{ table: "swarm_agents", operation: "insert", row: { swarm_id: closed, agent_id: agent } }, "FORBIDDEN"],
      [{ table: "webhooks", operation: "insert", row: { ...HOOK, user_id: other } }, "FORBIDDEN"],
      [{ table: "webhooks", operation: "update", row: { user_id: other }, id: hook }, "FORBIDDEN"],
      [{ table: "webhooks", operation: "upsert", row: { ...HOOK, id: foreignHook } }, "FORBIDDEN"],
      [{ table: "messages", operation: "insert", row: { swarm_id: closed, content: "a" } }, "FORBIDDEN"],
      [{ table: "swarm_members", operation: "insert", row: { swarm_id: closed, user_id: user } }, "FORBIDDEN"],
      [{ table: "swarms", operation: "insert", row: { name: "Room", owner_id: other } }, "FORBIDDEN"],
      [
        { table: "tools", operation: "insert", row: { name: "all", description: "d", visibility: "public" } },
        "FORBIDDEN",
      ],
      [{ table: "profiles", operation: "insert", row: { id: other } }, "FORBIDDEN"],
      [{ table: "webhook_deliveries", operation: "delete", row: {}, id: hook }, "FORBIDDEN"],
      [{ table: "models", operation: "insert", row: { framework: "provider_a", id: "m", position: 0 } }, "FORBIDDEN"],
    ];
    for (const [write, code] of cases) await assertRejected(user, write, code);
  });

  it("other errors keep their SQLSTATE", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const agent = await stage.newAgent(user);
    const twice = await rejectionFor(user, { table: "agents", operation: "insert", row: { id: agent, name: "Ada" } });
    assert.equal(twice.code, "23505");
    const unsigned = await rejectionFor("anon", { table: "agents", operation: "insert", row: { name: "Ada" } });
    assert.equal(unsigned.code, "42501");
    assert.ok(unsigned instanceof pg.DatabaseError);
    // Tables that users have added, and errors of their references to tables of the service.
    const error = Object.assign(new pg.DatabaseError("no", 2, "error"), { code: "42501" });
    const theirs = { relation: { schema: "public", name: "invoices" } };
    assert.equal(await rules.explainRejection(error, attempt("invoices", "insert", {}, theirs), null), null);
    const linked = Object.assign(new pg.DatabaseError("no", 2, "error"), {
      code: "23503",
      schema: "public",
      table: "invoices",
      constraint: "invoices_agent_id_fkey",
    });
    assert.equal(await rules.explainRejection(linked, attempt("agents", "delete", {}), null), null);
  });

  it("a rejected read keeps the database's message", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const error = await stage.run(user, "select * from private.settings").catch((rejected: unknown) => rejected);
    assert.ok(error instanceof pg.DatabaseError);
    const read = { relation: { schema: "public", name: "runs" }, pinnedId: null, principal: principalOf(user) };
    assert.equal(await rules.explainRejection(error, read, null), null);
  });
});
