import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bind, principalOf, openFeedStage } from "./feed-stage.ts";

describe("custom tables", () => {
  const opened = openFeedStage();
  const make = async (name: string, columns: string, rest = ""): Promise<void> => {
    await opened.stage.database.owner.query(`
      create table public.${name} (id int primary key, ${columns});
      ${rest};
      alter publication swarmbase add table public.${name}`);
  };
  const write = (text: string): Promise<unknown> => opened.stage.database.owner.query(text);

  it("a table without row-level security shows the columns that a role may select", async () => {
    const { stage, node } = opened;
    await make(
      "open",
      "shown text, hidden text",
      "grant select (id, shown) on public.open to anon; grant select on public.open to service_role",
    );
    const anon = await stage.subscribe(node, principalOf("anon"), [bind("open")]);
    const service = await stage.subscribe(node, principalOf("service_role"), [bind("open")]);
    await assert.rejects(
      stage.subscribe(node, principalOf(await stage.newUser()), [bind("open")]),
      /no table public.open/,
    );
    await assert.rejects(
      stage.subscribe(node, principalOf("anon"), [bind("open", { filter: "hidden=eq.x" })]),
      /no column hidden/,
    );
    await write("insert into open values (1, 'a', 'b'); update open set shown = 'c'");
    const [inserted, updated] = await anon.next(2);
    assert.deepEqual(inserted?.record, { id: 1, shown: "a" });
    assert.deepEqual(inserted?.columns, [
      { name: "id", type: "int4" },
      { name: "shown", type: "text" },
    ]);
    assert.deepEqual([updated?.record, updated?.old_record], [{ id: 1, shown: "c" }, { id: 1 }]);
    assert.deepEqual((await service.next(2))[0]?.record, { id: 1, shown: "a", hidden: "b" });
  });

  it("policies of a custom table are evaluated on the committed row", async () => {
    const { stage, node } = opened;
    await make(
      "docs",
      "team text, level int, secret boolean not null default false, note jsonb, tags text[]",
      `alter table public.docs enable row level security; alter table public.docs replica identity full;
       create table public.teams (team text, user_id uuid); grant select on public.teams to authenticated;
       grant select on public.docs to authenticated;
       create policy reading on public.docs for select to authenticated using (
         exists (select 1 from public.teams t where t.team = docs.team and t.user_id = auth.uid())
         or (tags @> array[auth.jwt() ->> 'tag'] and note ->> 'a' = '1'));
       create policy never on public.docs as restrictive for select to authenticated using (not secret and level < 10)`,
    );
    const [insider, tagged, stranger] = [await stage.newUser(), await stage.newUser(), await stage.newUser()];
    await write(`insert into teams values ('red', '${insider}')`);
    const one = await stage.subscribe(node, principalOf(insider), [bind("docs")]);
    const two = await stage.subscribe(node, principalOf(tagged, { tag: "x y" }), [bind("docs")]);
    const three = await stage.subscribe(node, principalOf(stranger, { tag: "other" }), [bind("docs")]);
    await write(`insert into docs values (1, 'red', 1, false, '{"a": 1}', '{x y}'), (2, 'blue', 1, false, '{"a": 1}', '{"x y"}'),
      (3, 'red', 99, false, '{"a": 1}', '{"x y"}'), (4, 'red', 1, true, null, null)`);
    // Right after, the row is another's: what was committed first was still theirs.
    await write("update docs set team = 'blue', note = null where id = 1");
    await write("update docs set team = 'red' where id = 1");
    await write("delete from docs where id = 1; delete from docs where id = 3");
    await write("insert into docs values (9, 'red', 1, false, '{\"a\": 1}', '{x y}')");
    await one.until(() => one.received.at(-1)?.record?.["id"] === 9);
    await two.until(() => two.received.at(-1)?.record?.["id"] === 9);
    const brief = (received: (typeof one)["received"]) =>
      received.map(({ type, record, old_record }) => [type, record?.["id"] ?? null, old_record ?? null]);
    assert.deepEqual(brief(one.received), [
      ["INSERT", 1, null],
      // The old row was not visible to this user, so only its key is sent.
      ["UPDATE", 1, { id: 1 }],
      ["DELETE", null, { id: 1, team: "red", level: 1, secret: false, note: null, tags: ["x y"] }],
      ["INSERT", 9, null],
    ]);
    assert.deepEqual(
      brief(two.received).map(([type, id]) => [type, id]),
      [
        ["INSERT", 1],
        ["INSERT", 2],
        ["INSERT", 9],
      ],
    );
    await stage.settle(node);
    assert.deepEqual(three.received, []);
  });

  it("a deleted row stays hidden when the WAL lacks columns of its policies", async () => {
    const { stage, node } = opened;
    await make(
      "thin",
      "owner uuid, draft boolean",
      `alter table public.thin enable row level security; grant select on public.thin to authenticated;
       create policy reading on public.thin for select using (draft is not true or owner = auth.uid())`,
    );
    const listener = await stage.subscribe(node, principalOf(await stage.newUser()), [bind("thin")]);
    await write("insert into thin values (1, null, true), (2, null, false)");
    await write(
      "delete from thin where id = 1; delete from thin where id = 2; insert into thin values (3, null, false)",
    );
    const received = await listener.next(2);
    assert.deepEqual(
      received.map(({ type, record }) => [type, record?.["id"]]),
      [
        ["INSERT", 2],
        ["INSERT", 3],
      ],
    );
  });

  it("changes of policies, grants and columns apply at once", async () => {
    const { stage, node } = opened;
    await make(
      "moving",
      "owner uuid",
      "alter table public.moving enable row level security; grant select on public.moving to authenticated",
    );
    const user = await stage.newUser();
    const listener = await stage.subscribe(node, principalOf(user), [bind("moving")]);
    // What holds when a change is dealt with is what counts.
    const step = async (text: string): Promise<void> => {
      await write(text);
      await stage.settle(node);
    };
    await step("insert into moving values (1)");
    await step("create policy all_of_it on public.moving for select using (true); insert into moving values (2)");
    await step("alter table public.moving add column extra int default 7; insert into moving values (3)");
    await step("revoke select on public.moving from authenticated; insert into moving values (4)");
    await step("grant select (id) on public.moving to authenticated; insert into moving values (5)");
    await step("drop policy all_of_it on public.moving; insert into moving values (6)");
    await step(
      `create policy own on public.moving for select using (owner = auth.uid()); insert into moving values (7, '${user}')`,
    );
    await step("alter publication swarmbase drop table public.moving; insert into moving values (8)");
    await step(`alter publication swarmbase add table public.moving; insert into moving values (9, '${user}')`);
    await listener.until(() => listener.received.at(-1)?.record?.["id"] === 9);
    assert.deepEqual(
      listener.received.map(({ record }) => record),
      [{ id: 2, owner: null }, { id: 3, owner: null, extra: 7 }, { id: 5 }, { id: 7 }, { id: 9 }],
    );
  });

  it("a policy that fails for one principal ends only the channel of that principal", async () => {
    const { stage, node } = opened;
    await make(
      "moody",
      "owner uuid",
      `alter table public.moody enable row level security; grant select on public.moody to authenticated;
       create policy reading on public.moody for select using (
         case auth.jwt() ->> 'mood' when 'bad' then 1 / (id - id) = 1 when 'slow' then pg_sleep(60) is null else id > 0 end)`,
    );
    const user = await stage.newUser();
    const [well, bad, slow] = [{}, { mood: "bad" }, { mood: "slow" }].map((claims) => principalOf(user, claims));
    assert.ok(well && bad && slow);
    const listeners = [
      await stage.subscribe(node, bad, [bind("moody")]),
      await stage.subscribe(node, slow, [bind("moody")]),
      await stage.subscribe(node, well, [bind("moody"), bind("agents", { id: 2 })]),
      await stage.subscribe(node, bad, [bind("agents")]),
    ] as const;
    await write("insert into moody values (1); insert into moody values (2)");
    await stage.newAgent(user);
    const received = await listeners[2].next(3);
    assert.deepEqual(
      received.map(({ ids, record }) => [ids[0], ids[0] === 1 ? record?.["id"] : "agent"]),
      [
        [1, 1],
        [1, 2],
        [2, "agent"],
      ],
    );
    assert.deepEqual(listeners[1].losses, [], "the slow one held up the others");
    await listeners[3].next();
    await listeners[0].until(() => listeners[0].losses.length >= 1);
    await listeners[1].until(() => listeners[1].losses.length >= 1);
    assert.deepEqual([listeners[2].losses, listeners[3].losses], [[], []]);
    assert.match(listeners[0].losses[0] ?? "", /row rules of moody/);
  });

  it("a new token of the same user re-evaluates the policies", async () => {
    const { stage, node } = opened;
    await make(
      "tiers",
      "level text",
      `alter table public.tiers enable row level security; grant select on public.tiers to authenticated;
       create policy reading on public.tiers for select using (level = auth.jwt() ->> 'level')`,
    );
    const user = await stage.newUser();
    const listener = await stage.subscribe(node, principalOf(user, { level: "a" }), [bind("tiers")]);
    await write("insert into tiers values (1, 'a'), (2, 'b')");
    await listener.next();
    listener.subscription?.update(principalOf(user, { level: "b" }));
    await write("insert into tiers values (3, 'a'), (4, 'b')");
    assert.deepEqual(
      (await listener.next()).map(({ record }) => record?.["id"]),
      [4],
    );
    listener.subscription?.update(principalOf(await stage.newUser()));
    assert.equal(listener.losses.length, 1);
  });

  it("subscriptions to unavailable tables and columns are rejected", async () => {
    const { stage, node } = opened;
    await write(
      "create table public.private_notes (id int primary key); grant select on public.private_notes to authenticated",
    );
    const principal = principalOf(await stage.newUser());
    for (const [binding, reason] of [
      [bind("nowhere"), /no table public.nowhere/],
      [bind("users", { schema: "auth" }), /no table auth.users/],
      [bind("signing_keys", { schema: "private" }), /no table private.signing_keys/],
      [bind("private_notes"), /not in the publication.*alter publication swarmbase add table/],
      [bind("webhook_deliveries"), /not in the publication/],
      [bind("agents", { filter: "nothing=eq.1" }), /no column nothing/],
      [bind("agents", { filter: "id=eq.not-a-uuid" }), /invalid input syntax for type uuid/],
      [bind("agents", { filter: "id=match.a" }), /operator does not exist/],
      [bind("agents", { filter: "name=eq.a,,role=eq.b" }), /column=operator.value/],
      [bind("agents", { select: ["nothing"] }), /no column nothing/],
      [bind("*", { filter: "id=eq.1" }), /needs a schema and a table/],
      [bind("*", { select: ["id"] }), /needs a schema and a table/],
    ] as const)
      await assert.rejects(stage.subscribe(node, principal, [binding]), reason);
  });

  it("wildcards, column lists and several bindings of one channel work", async () => {
    const { stage, node } = opened;
    const user = await stage.newUser();
    const listener = await stage.subscribe(node, principalOf(user), [
      bind("*", { id: 1 }),
      bind("agents", { id: 2, event: "UPDATE" }),
      bind("*", { id: 3, schema: "*", event: "DELETE" }),
      bind("agents", { id: 4, select: ["name"] }),
    ]);
    const id = await stage.newAgent(user, { name: "Ada" });
    await stage.update(user, "agents", id, { name: "Bea" });
    await stage.remove(user, "agents", id);
    const received = await listener.next(6);
    assert.deepEqual(
      received.map(({ type, ids }) => [type, ids]),
      [
        ["INSERT", [1]],
        ["INSERT", [4]],
        ["UPDATE", [1, 2]],
        ["UPDATE", [4]],
        ["DELETE", [1, 3]],
        ["DELETE", [4]],
      ],
    );
    assert.deepEqual([received[1]?.record, received[5]?.old_record], [{ id, name: "Ada" }, { id }]);
  });
});
