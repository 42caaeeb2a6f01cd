import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { UserPrincipal } from "../../../src/db/index.ts";
import { openRestStage } from "./rest-stage.ts";

describe("the workers of webhooks are woken", () => {
  let wakeUps = 0;
  const opened = openRestStage("", { onWebhookWork: () => (wakeUps += 1) });
  let user: UserPrincipal;

  const ask = async (line: string, body: unknown): Promise<void> => {
    const { status, text } = await opened.stage.ask(line, {
      as: user,
      body,
      headers: { "content-type": "application/json" },
    });
    assert.ok(status < 300, `${status} ${text}`);
  };
  const listen = async (isActive: boolean): Promise<void> => {
    await opened.stage.run(
      "insert into public.webhooks (user_id, name, url, events, is_active) values ($1, 'a', 'https://example.com/', $2, $3)",
      [user.userId, ["agent.created"], isActive],
    );
  };
  const countDuring = async (work: () => Promise<void>): Promise<number> => {
    wakeUps = 0;
    await work();
    return wakeUps;
  };

  beforeEach(async () => {
    user = await opened.stage.addUser();
  });

  it("not by a write that nobody listens to", async () => {
    assert.equal(await countDuring(() => ask("POST /agents", { name: "a" })), 0);
    await listen(false);
    assert.equal(await countDuring(() => ask("POST /agents", { name: "b" })), 0);
  });

  it("once by a transaction, whatever the number of its events", async () => {
    await listen(true);
    assert.equal(await countDuring(() => ask("POST /agents", [{ name: "a" }, { name: "b" }])), 1);
    assert.equal(await countDuring(() => ask("POST /agents", { name: "c" })), 1, "also on the same connection");
    const { rows } = await opened.stage.run("select from private.events where $1 = any (audience)", [user.userId]);
    assert.equal(rows.length, 3);
  });

  it("by a webhook that is enabled again", async () => {
    await listen(false);
    assert.equal(await countDuring(() => ask(`PATCH /webhooks?user_id=eq.${user.userId}`, { is_active: true })), 1);
  });

  it("not by a write that fails", async () => {
    await listen(true);
    const failing = () =>
      opened.stage
        .ask("POST /agents", {
          as: user,
          body: [{ name: "a" }, { name: "" }],
          headers: { "content-type": "application/json" },
        })
        .then(({ status }) => assert.equal(status, 400));
    assert.equal(await countDuring(failing), 0);
  });
});
