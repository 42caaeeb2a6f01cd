import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bind, openFeedStage, principalOf } from "./feed-stage.ts";

const ROWS = 400;
const INSERT = `insert into messages (swarm_id, sender_user_id, content)
  select $1, $2, repeat('x', 500) || n from generate_series(1, ${ROWS}) n`;

describe("a transaction that is larger than a part", () => {
  const opened = openFeedStage({ maxPartBytes: 10_000 });

  it("arrives completely and in order, and the feed stays live", async () => {
    const { stage, node } = opened;
    const owner = await stage.newUser();
    const tools = await stage.subscribe(node, principalOf(owner), [bind("tools")]);
    await stage.run(
      "service_role",
      `insert into tools (owner_id, name, description)
       select $1, 't' || n, repeat('x', 1000) from generate_series(1, ${ROWS}) n`,
      [owner],
    );
    const names = (await tools.next(ROWS)).map(({ record }) => record?.["name"]);
    assert.deepEqual(
      names,
      Array.from({ length: ROWS }, (_, at) => `t${at + 1}`),
    );
    assert.deepEqual([tools.losses, node.changes.liveCount()], [[], 1]);
  });

  it("does not reach users whose access it ends in a later part", async () => {
    const { stage, node } = opened;
    const [owner, member] = [await stage.newUser(), await stage.newUser()];
    const swarm = await stage.newSwarm(owner, { [member]: "member" });
    const mine = await stage.subscribe(node, principalOf(owner), [bind("messages")]);
    const theirs = await stage.subscribe(node, principalOf(member), [bind("messages")]);
    await stage.transaction("service_role", async (query) => {
      await query(INSERT, [swarm, owner]);
      await query("delete from swarm_members where user_id = $1", [member]);
    });
    assert.equal((await mine.next(ROWS)).length, ROWS);
    await stage.settle(node);
    assert.deepEqual(theirs.received, []);
  });

  it("does not reach users whose access it gives and takes again", async () => {
    const { stage, node } = opened;
    const [owner, guest] = [await stage.newUser(), await stage.newUser()];
    const swarm = await stage.newSwarm(owner);
    const mine = await stage.subscribe(node, principalOf(owner), [bind("messages")]);
    const theirs = await stage.subscribe(node, principalOf(guest), [bind("messages")]);
    await stage.transaction("service_role", async (query) => {
      await query("insert into swarm_members (swarm_id, user_id, role, status) values ($1, $2, 'member', 'active')", [
        swarm,
        guest,
      ]);
      await query(INSERT, [swarm, owner]);
      await query("delete from swarm_members where user_id = $1", [guest]);
    });
    await mine.next(ROWS);
    await stage.settle(node);
    assert.deepEqual(theirs.received, []);
  });

  it("reports deletions to users whose access it ends", async () => {
    const { stage, node } = opened;
    const [owner, member, stranger] = [await stage.newUser(), await stage.newUser(), await stage.newUser()];
    const swarm = await stage.newSwarm(owner, { [member]: "member" });
    await stage.run("service_role", INSERT, [swarm, owner]);
    const deletions = [bind("messages", { event: "DELETE" })];
    const theirs = await stage.subscribe(node, principalOf(member), deletions);
    const others = await stage.subscribe(node, principalOf(stranger), deletions);
    await stage.run("service_role", "delete from swarms where id = $1", [swarm]);
    assert.equal((await theirs.next(ROWS)).length, ROWS);
    await stage.settle(node);
    assert.deepEqual([others.received, theirs.losses, node.changes.liveCount()], [[], [], 1]);
  });

  it("checks policies that only the database can evaluate for every row", async () => {
    const { stage, node } = opened;
    const [owner, stranger] = [await stage.newUser(), await stage.newUser()];
    await stage.database.owner.query(`create table public.odd (id int primary key, user_id uuid, text text);
      alter table public.odd enable row level security; grant select on public.odd to authenticated;
      create policy odd_own on public.odd for select to authenticated
        using (pg_catalog.length(text) > id % 2 and user_id::text = (select auth.uid())::text);
      alter publication supabase_realtime add table public.odd`);
    const mine = await stage.subscribe(node, principalOf(owner), [bind("odd")]);
    const theirs = await stage.subscribe(node, principalOf(stranger), [bind("odd")]);
    await stage.database.owner.query(
      "insert into public.odd select n, $1, case when n % 4 = 1 then 'x' else repeat('x', 200) end from generate_series(1, 400) n",
      [owner],
    );
    const ids = (await mine.next(300)).map(({ record }) => record?.["id"]);
    assert.deepEqual(
      ids,
      Array.from({ length: 400 }, (_, at) => at + 1).filter((id) => id % 4 !== 1),
    );
    await stage.settle(node);
    assert.deepEqual(theirs.received, []);
  });
});
