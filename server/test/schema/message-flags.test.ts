import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { openStage, violates, rejects } from "./support/stage.ts";

describe("flags", () => {
  const opened = openStage();

  it("are raised by any member, read by flagger and managers, resolved by managers", async () => {
    const { stage } = opened;
    const [owner, member, viewer, outsider] = [
      await stage.newUser(),
      await stage.newUser(),
      await stage.newUser(),
      await stage.newUser(),
    ];
    const swarm_id = await stage.newSwarm(owner, { [member]: "member", [viewer]: "viewer" });
    const { id: message_id } = await stage.insert(owner, "messages", { swarm_id, content: "Hello" });
    const isFlagged = async () => (await stage.find(owner, "messages", message_id))?.["flagged"];
    const forged = {
      source: "moderation",
      guardrail_id: randomUUID(),
      flagged_by: owner,
      status: "upheld",
      resolved_by: owner,
      resolved_at: new Date(),
      swarm_id: randomUUID(),
    };
    const flag = await stage.insert(viewer, "message_flags", { message_id, reason: "rude", ...forged });
    const { id, created_at: _, ...rest } = flag;
    assert.deepEqual(rest, {
      message_id,
      swarm_id,
      source: "user",
      guardrail_id: null,
      flagged_by: viewer,
      category: null,
      reason: "rude",
      status: "open",
      resolved_by: null,
      resolved_at: null,
    });
    assert.equal(await isFlagged(), true);
    await rejects(stage.insert(viewer, "message_flags", { message_id }), {
      code: "23505",
      constraint: "message_flags_message_id_flagged_by_key",
    });
    const unknown = { code: "23503", constraint: "message_flags_message_id_fkey" };
    await rejects(stage.insert(outsider, "message_flags", { message_id }), unknown);
    await rejects(stage.insert(viewer, "message_flags", { message_id: randomUUID() }), unknown);
    await rejects(
      stage.insert(member, "message_flags", { message_id, reason: "a".repeat(1001) }),
      violates("message_flags_reason_length"),
    );
    assert.equal(await stage.find(member, "message_flags", id), undefined);
    assert.deepEqual(await stage.update(viewer, "message_flags", id, { status: "dismissed" }), []);
    await rejects(
      stage.update(owner, "message_flags", id, { reason: "other" }),
      violates("message_flags_reason_immutable"),
    );
    const [resolved] = await stage.update(owner, "message_flags", id, { status: "dismissed", resolved_by: member });
    assert.equal(resolved?.["resolved_by"], owner);
    assert.ok(resolved?.["resolved_at"] instanceof Date);
    assert.equal(await isFlagged(), false);
    await stage.update(owner, "message_flags", id, { status: "open" });
    assert.equal(await isFlagged(), true);
    assert.equal((await stage.remove(viewer, "message_flags", id)).length, 1);
    assert.equal(await isFlagged(), false);
  });

  it("are resolved by nobody in another's name", async () => {
    const { stage } = opened;
    const [owner, member] = [await stage.newUser(), await stage.newUser()];
    const swarm_id = await stage.newSwarm(owner, { [member]: "member" });
    const { id: message_id } = await stage.insert(owner, "messages", { swarm_id, content: "Hello" });
    const { id } = await stage.insert(member, "message_flags", { message_id });
    const [row] = await stage.update(owner, "message_flags", id, { resolved_by: member, resolved_at: new Date() });
    assert.deepEqual([row?.["resolved_by"], row?.["resolved_at"]], [null, null]);
  });
});
