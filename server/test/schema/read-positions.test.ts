import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openStage, rejects } from "./support/stage.ts";

describe("read positions", () => {
  const opened = openStage();

  it("only advance, whatever the order in which devices report", async () => {
    const { stage } = opened;
    const owner = await stage.newUser();
    const swarm_id = await stage.newSwarm(owner);
    const { id } = await stage.insert(owner, "read_positions", { swarm_id, last_read_seq: 5 });
    const readUpTo = async () => (await stage.find(owner, "read_positions", id))?.["last_read_seq"];
    await stage.update(owner, "read_positions", id, { last_read_seq: 3 });
    assert.equal(Number(await readUpTo()), 5);
    await stage.update(owner, "read_positions", id, { last_read_seq: 8 });
    assert.equal(Number(await readUpTo()), 8);
    await rejects(stage.insert(owner, "read_positions", { swarm_id, last_read_seq: 9 }), { code: "23505" });
    const other = await stage.newSwarm(owner);
    await rejects(stage.insert(owner, "read_positions", { swarm_id: other, last_read_seq: -1 }), { code: "23514" });
  });

  it("are written by members, and kept for one who comes back", async () => {
    const { stage } = opened;
    const [owner, viewer, outsider] = [await stage.newUser(), await stage.newUser(), await stage.newUser()];
    const swarm_id = await stage.newSwarm(owner, { [viewer]: "viewer" });
    await rejects(stage.insert(outsider, "read_positions", { swarm_id, last_read_seq: 1 }), { code: "42501" });
    const { id } = await stage.insert(viewer, "read_positions", { swarm_id, last_read_seq: 1 });
    assert.equal(await stage.find(owner, "read_positions", id), undefined);
    await stage.run("internal", "delete from swarm_members where swarm_id = $1 and user_id = $2", [swarm_id, viewer]);
    await rejects(stage.update(viewer, "read_positions", id, { last_read_seq: 2 }), { code: "42501" });
    assert.equal(Number((await stage.find(viewer, "read_positions", id))?.["last_read_seq"]), 1);
    await stage.run("internal", "delete from auth.users where id = $1", [viewer]);
    assert.deepEqual(await stage.run("internal", "select id from read_positions where id = $1", [id]), []);
  });
});
