import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { fetchValues } from "../../src/realtime/visibility/rendering/fetch-values.ts";
import { TableMetadataCache } from "../../src/realtime/visibility/tables/table-metadata-cache.ts";
import { bind, principalOf, openFeedStage } from "./feed-stage.ts";
import { until } from "../support/until.ts";

describe("a filter", () => {
  const opened = openFeedStage();
  const write = (text: string): Promise<unknown> => opened.stage.database.owner.query(text);

  it("a filter is not evaluated on rows hidden from its subscriber, so that its errors reveal nothing", async () => {
    const { stage, node } = opened;
    const [owner, stranger] = [await stage.newUser(), await stage.newUser()];
    await write(`
      create function public.may_see(owner uuid) returns boolean language plpgsql stable cost 1000
        as 'begin return owner = auth.uid(); end';
      grant execute on function public.may_see(uuid) to authenticated;
      create table public.diaries (id int primary key, owner uuid, line char(20));
      alter table public.diaries enable row level security;
      create policy reading on public.diaries for select to authenticated using (public.may_see(owner));
      grant select on public.diaries to authenticated;
      alter publication swarmbase add table public.diaries`);
    // A pattern that ends in the middle of an escape fails for texts that match it that far, and for no others.
    const spy = await stage.subscribe(node, principalOf(stranger), [bind("diaries", { filter: "line=like.S3C\\" })]);
    const plain = await stage.subscribe(node, principalOf(stranger), [bind("diaries", { filter: "line=like.mine%" })]);
    await write(`insert into diaries values (1, '${owner}', 'S3CRET'), (2, '${stranger}', 'mine')`);
    assert.deepEqual((await plain.next())[0]?.record?.["id"], 2);
    await stage.settle(node);
    assert.deepEqual([spy.received, spy.losses], [[], []]);
  });

  it("a filter stops matching when the role loses the right to read its column", async () => {
    const { stage, node } = opened;
    await write(`
      create table public.scores (id int primary key, points int);
      grant select on public.scores to anon;
      alter publication swarmbase add table public.scores`);
    const guess = await stage.subscribe(node, principalOf("anon"), [bind("scores", { filter: "points=gt.5" })]);
    const all = await stage.subscribe(node, principalOf("anon"), [bind("scores")]);
    await write("revoke select on public.scores from anon; grant select (id) on public.scores to anon");
    await write("insert into scores values (1, 9)");
    assert.deepEqual((await all.next())[0]?.record, { id: 1 });
    await stage.settle(node);
    assert.deepEqual(guess.received, []);
  });

  it("a filter cannot block the process with a long pattern or text", async () => {
    const { stage, node } = opened;
    await write(`
      create table public.notes (id int primary key, body text);
      grant select on public.notes to anon;
      alter publication swarmbase add table public.notes`);
    const letters = "a".repeat(20_000);
    const filters = [
      `body=like.%${letters}b%`,
      `body=like.%${"a_".repeat(10_000)}b%`,
      `body=ilike.${"%a".repeat(5_000)}b`,
    ];
    for (const filter of filters) await stage.subscribe(node, principalOf("anon"), [bind("notes", { filter })]);
    const all = await stage.subscribe(node, principalOf("anon"), [bind("notes")]);
    // By what it computes: the clock runs on while others have the machine.
    const before = process.threadCpuUsage();
    await write("insert into notes values (1, repeat('a', 50000))");
    await all.next();
    await stage.settle(node);
    const { user } = process.threadCpuUsage(before);
    assert.ok(user < 500_000, `the process was busy for ${user / 1000} ms`);
  });

  it("the number of filters without an indexed value is limited per user", async () => {
    const { stage, node } = opened;
    const user = principalOf(await stage.newUser());
    const some = (from: number) =>
      Array.from({ length: 100 }, (_, at) => bind("agents", { id: at + 1, filter: `name=like.${from + at}%` }));
    const kept = [];
    for (let from = 0; from < 500; from += 100) kept.push(await stage.subscribe(node, user, some(from)));
    await assert.rejects(stage.subscribe(node, user, some(500)), { code: "RATE_LIMITED" });
    kept[0]?.subscription?.close();
    await stage.subscribe(node, user, some(500));
  });
});

describe("a value that the WAL omits", () => {
  const opened = openFeedStage();

  it("an omitted value is not fetched from a row that now belongs to another user", async () => {
    const { stage, node } = opened;
    await until(() => node.changes.state() === "live");
    const [before, after] = [await stage.newUser(), await stage.newUser()];
    const sql = stage.database.owner;
    await sql.query(`
      create table public.wide (id int primary key, owner uuid, body text, note text);
      alter table public.wide enable row level security;
      create policy reading on public.wide for select to authenticated using (owner = auth.uid());
      grant select on public.wide to authenticated, service_role;
      create policy service on public.wide to service_role using (true);
      insert into wide values (1, '${before}', 'theirs', 'a')`);
    const metadata = await new TableMetadataCache(node.database.service).find("public", "wide");
    assert.ok(metadata);
    const columns = ["id", "owner", "body", "note"].map((name) => ({ name, typeOid: 0, isKey: name === "id" }));
    const relation = { oid: metadata.oid, schema: "public", name: "wide", isIdentityFull: false, columns };
    const change = { relation, type: "UPDATE", record: ["1", before, undefined, "a"], oldRecord: null } as const;
    const read = async (): Promise<unknown> => (await fetchValues(node.database, change, metadata)).record?.[2];
    assert.equal(await read(), "theirs");
    await sql.query("update wide set note = 'b', body = 'still theirs'");
    assert.equal(await read(), "still theirs");
    await sql.query(`update wide set owner = '${after}', body = 'not for them'`);
    assert.equal(await read(), undefined);
  });
});

describe("a hidden swarm", () => {
  const opened = openFeedStage();
  const write = (text: string): Promise<unknown> => opened.stage.database.owner.query(text);

  it("is not shown to its owner, neither while it exists nor when it is deleted", async () => {
    const { stage, node } = opened;
    const owner = await stage.newUser();
    const [early, hidden, shown] = [randomUUID(), randomUUID(), randomUUID()];
    const create = (id: string): string => `
      insert into public.swarms (id, owner_id, name) values ('${id}', '${owner}', 'Call');
      insert into public.messages (swarm_id, sender_type, sender_user_id, content) values ('${id}', 'user', '${owner}', 'Hello');`;
    const hide = (id: string): string =>
      `insert into private.hidden_swarms (swarm_id, user_id) values ('${id}', '${owner}');`;
    await write(`begin; ${hide(early)} ${create(early)} commit`);
    const tables = ["swarms", "swarm_members", "messages"];
    const listener = await stage.subscribe(
      node,
      principalOf(owner),
      tables.map((table, index) => bind(table, { id: index + 1 })),
    );
    await write(`begin; ${hide(hidden)} ${create(hidden)} commit`);
    await write(`update public.messages set content = 'Goodbye' where swarm_id in ('${hidden}', '${early}')`);
    await write(`delete from public.swarms where id in ('${hidden}', '${early}')`);
    await write(`begin; ${create(shown)} commit`);
    await listener.until(() => listener.received.length >= 3);
    await stage.settle(node);
    assert.deepEqual(listener.received.map(({ type, table }) => `${type} ${table}`).sort(), [
      "INSERT messages",
      "INSERT swarm_members",
      "INSERT swarms",
    ]);
  });
});
