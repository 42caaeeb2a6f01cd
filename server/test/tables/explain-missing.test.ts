import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import pg from "pg";
import type { ReadAttempt, TableRules } from "../../src/rest/index.ts";
import { createTableRules } from "../../src/tables/index.ts";
import { type Caller, openStage } from "../schema/support/stage.ts";
import { attempt } from "./support/attempts.ts";
import { principalOf } from "./support/rejections.ts";

describe("a missing row", () => {
  const opened = openStage();
  let pool: pg.Pool;
  let rules: TableRules;
  before(() => {
    pool = new pg.Pool({ connectionString: opened.stage.database.url("sb_service"), max: 2 });
    pool.on("error", () => {});
    rules = createTableRules({ pool });
  });
  after(() => pool.end());

  async function explain(caller: Caller, table: string, pinnedId: string | null): Promise<(string | null)[]> {
    const subject = { relation: { schema: "public", name: table }, pinnedId, principal: principalOf(caller) };
    const attempts: ReadAttempt[] = [
      subject,
      attempt(table, "update", { name: "a" }, subject),
      attempt(table, "delete", {}, { ...subject, rows: [], columns: [] }),
    ];
    return Promise.all(attempts.map(async (one) => (await rules.explainMissing(one))?.code ?? null));
  }

  const same = (code: string | null) => [code, code, code];

  it("is AGENT_NOT_FOUND or WEBHOOK_NOT_FOUND when one agent or webhook is addressed", async () => {
    const { stage } = opened;
    const [user, other] = [await stage.newUser(), await stage.newUser()];
    const [agent, hook, gone] = [await stage.newAgent(other), await stage.listen(other), randomUUID()];
    assert.deepEqual(await explain(user, "agents", gone), same("AGENT_NOT_FOUND"));
    assert.deepEqual(await explain(user, "agents", agent), same("PERMISSION_DENIED"));
    assert.deepEqual(await explain(user, "agents", agent.toUpperCase()), same("PERMISSION_DENIED"));
    assert.deepEqual(await explain(user, "webhooks", gone), same("WEBHOOK_NOT_FOUND"));
    assert.deepEqual(await explain(user, "webhooks", hook), same("FORBIDDEN"));
    // An id of one table does not exist in the other.
    assert.deepEqual(await explain(user, "webhooks", agent), same("WEBHOOK_NOT_FOUND"));
    assert.deepEqual(await explain("service_role", "agents", gone), same("AGENT_NOT_FOUND"));
  });

  it("is reported as in PostgREST for all other tables", async () => {
    const { stage } = opened;
    const [user, other] = [await stage.newUser(), await stage.newUser()];
    const swarm = await stage.newSwarm(other);
    const agent = await stage.newAgent(other);
    assert.deepEqual(await explain(user, "agents", null), same(null));
    assert.deepEqual(await explain(user, "agents", "1"), same(null));
    assert.deepEqual(await explain("anon", "agents", agent), same(null));
    assert.deepEqual(await explain(user, "swarms", swarm), same(null));
    assert.deepEqual(await explain(user, "messages", randomUUID()), same(null));
    assert.deepEqual(await explain(user, "invoices", randomUUID()), same(null));
    const elsewhere = { relation: { schema: "shop", name: "agents" }, pinnedId: agent, principal: principalOf(user) };
    assert.equal(await rules.explainMissing(elsewhere), null);
  });

  it("does not include deleted messages, which stay readable as tombstones", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const swarm = await stage.newSwarm(user);
    const { id } = await stage.insert(user, "messages", { swarm_id: swarm, content: "a" });
    assert.deepEqual(await stage.remove(user, "messages", id), []);
    assert.deepEqual(await explain(user, "messages", id), same(null));
    assert.notEqual((await stage.find(user, "messages", id))?.["deleted_at"], null);
  });
});
