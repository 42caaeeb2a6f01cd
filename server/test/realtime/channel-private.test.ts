import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it, type TestContext } from "node:test";
import { ANON_PRINCIPAL, openDatabase, type Principal } from "../../src/db/index.ts";
import { translateScopeError } from "../../src/auth/index.ts";
import { createPrivateTopics } from "../../src/realtime/index.ts";
import { createTestDatabase } from "../support/database.ts";
import { silentObserver } from "../support/silent-observer.ts";
import { ChangesBus, createChangesDouble } from "./support/changes-double.ts";
import { createTokens, openStage } from "./support/realtime-stage.ts";
import { openSupabase, subscribed } from "./support/supabase-client.ts";
import { WAIT_MS } from "../support/wait-limit.ts";
import { until } from "../support/until.ts";

/** Members read, the leader writes; a hall where all signed-in users receive broadcasts but not presence. */
const RULES = `
  create table public.room_members (topic text, user_id uuid, can_write boolean);
  grant select on public.room_members to authenticated;
  create policy room_read on realtime.messages for select to authenticated using (exists (
    select from public.room_members m
    where m.topic = (select realtime.topic()) and m.user_id = (current_setting('request.jwt.claims')::json ->> 'sub')::uuid));
  create policy room_write on realtime.messages for insert to authenticated with check (exists (
    select from public.room_members m
    where m.topic = realtime.topic() and m.can_write
      and m.user_id = (current_setting('request.jwt.claims')::json ->> 'sub')::uuid));
  create policy hall_read on realtime.messages for select to authenticated
    using (realtime.topic() = 'hall' and extension = 'broadcast');
  create policy broken_read on realtime.messages for select to authenticated
    using (case when realtime.topic() = 'broken' then 1 / (length(topic) - 6) > 0 else false end);
  create policy slow_read on realtime.messages for select to authenticated
    using (case when realtime.topic() = 'slow' then pg_sleep(60) is null else false end)`;

describe("a private channel", () => {
  const open = async (t: TestContext) => {
    const base = await createTestDatabase(t);
    const database = openDatabase({
      url: base.adminUrl,
      masterKey: base.masterKey,
      poolSize: 3,
      observer: silentObserver,
    });
    t.after(() => database.close());
    await base.owner.query(RULES);
    const tokens = createTokens();
    const join = async (name: string, canWrite: boolean | null): Promise<Principal> => {
      const userId = randomUUID();
      await base.owner.query("insert into auth.users (id, email) values ($1, $2)", [userId, `${name}@example.test`]);
      if (canWrite !== null)
        await base.owner.query("insert into public.room_members values ('room', $1, $2)", [userId, canWrite]);
      const principal: Principal = {
        role: "authenticated",
        userId,
        claims: { role: "authenticated", sub: userId },
        session: { userId, sessionId: null, inactivitySeconds: 0 },
      };
      tokens.set(name, { principal });
      return principal;
    };
    const principals = {
      leader: await join("leader", true),
      member: await join("member", false),
      stranger: await join("stranger", null),
    };
    const privateTopics = createPrivateTopics({
      database,
      settings: { dbSchemas: ["public"], dbStatementTimeoutMs: 5_000 },
      newId: randomUUID,
      translateEnter: translateScopeError,
    });
    const changes = createChangesDouble(new ChangesBus());
    const { url } = await openStage(t, { changes, authenticate: tokens.authenticate, privateTopics });
    const renamed = new Map<string, string>();
    const enter = async (name: string, { topic = "room", isPrivate = true, ack = true } = {}) => {
      const client = openSupabase(t, url, { token: () => renamed.get(name) ?? name });
      await client.realtime.setAuth();
      const channel = client.channel(topic, {
        config: { private: isPrivate, broadcast: { ack }, presence: { key: name } },
      });
      const received: unknown[] = [];
      channel.on("broadcast", { event: "*" }, ({ payload }) => received.push(payload));
      channel.on("presence", { event: "sync" }, () => {});
      await subscribed(channel);
      return { channel, received };
    };
    return { base, database, privateTopics, principals, tokens, renamed, enter, url };
  };

  it("members of a swarm use its private channel, and viewers only receive", async (t) => {
    const { base, privateTopics, principals } = await open(t);
    const [owner, viewer, stranger] = [principals.leader, principals.member, principals.stranger];
    const { rows } = await base.owner.query<{ id: string }>(
      "insert into public.swarms (name, owner_id) values ('Room', $1) returning id",
      [owner.userId],
    );
    const id = rows[0]?.id ?? "";
    await base.owner.query(
      "insert into public.swarm_members (swarm_id, user_id, role, status) values ($1, $2, 'viewer', 'active')",
      [id, viewer.userId],
    );
    const signal = AbortSignal.timeout(WAIT_MS);
    const may = async (principal: Principal, topic: string) => ({
      read: [...(await privateTopics.findReadable(principal, topic, signal))].toSorted(),
      say: await privateTopics.canWrite(principal, topic, "broadcast", signal),
      show: await privateTopics.canWrite(principal, topic, "presence", signal),
    });
    const all = ["broadcast", "presence"];
    assert.deepEqual(await may(owner, `swarm:${id}`), { read: all, say: true, show: true });
    assert.deepEqual(await may(viewer, `swarm:${id}`), { read: all, say: false, show: true });
    assert.deepEqual(await may(stranger, `swarm:${id}`), { read: [], say: false, show: false });
    assert.deepEqual(await may(owner, `swarm:${randomUUID()}`), { read: [], say: false, show: false });
    assert.deepEqual(await may(owner, id), { read: [], say: false, show: false });
    await base.owner.query("delete from public.swarm_members where user_id = $1", [viewer.userId]);
    assert.deepEqual(await may(viewer, `swarm:${id}`), { read: [], say: false, show: false });
  });

  it("only principals with read permission join a private channel, others get the reason", async (t) => {
    const { enter } = await open(t);
    await enter("leader");
    await enter("member");
    const denied = /You do not have permissions to read from this Channel topic: room/;
    await assert.rejects(enter("stranger"), denied);
    await assert.rejects(enter("anon"), denied);
    await enter("service");
    await assert.rejects(enter("leader", { topic: "another" }), /read from this Channel topic: another/);
  });

  it("only principals with write permission broadcast and track presence on a private channel", async (t) => {
    const { enter } = await open(t);
    const [leader, member] = [await enter("leader"), await enter("member")];
    assert.equal(await leader.channel.send({ type: "broadcast", event: "e", payload: { n: 1 } }), "ok");
    assert.equal(await member.channel.send({ type: "broadcast", event: "e", payload: { n: 2 } }), "error");
    assert.equal(await member.channel.track({}), "error");
    assert.equal(await leader.channel.track({}), "ok");
    await until(() => Object.keys(member.channel.presenceState()).join() === "leader");
    await until(() => member.received.length >= 1);
    assert.deepEqual([leader.received, member.received], [[], [{ n: 1 }]]);
  });

  it("policies of a private channel distinguish broadcast and presence", async (t) => {
    const { enter, privateTopics, principals } = await open(t);
    assert.deepEqual([...(await privateTopics.findReadable(principals.stranger, "hall"))], ["broadcast"]);
    const listener = await enter("stranger", { topic: "hall" });
    const speaker = await enter("service", { topic: "hall" });
    await speaker.channel.track({ is: "here" });
    assert.equal(await speaker.channel.send({ type: "broadcast", event: "e", payload: { n: 1 } }), "ok");
    await until(() => listener.received.length >= 1);
    await until(() => Object.keys(speaker.channel.presenceState()).length >= 1);
    assert.deepEqual(listener.channel.presenceState(), {});
  });

  it("a private channel and a public channel of the same name are separate", async (t) => {
    const { enter } = await open(t);
    const [inside, outside] = [await enter("member"), await enter("stranger", { isPrivate: false })];
    const leader = await enter("leader");
    await outside.channel.send({ type: "broadcast", event: "e", payload: { from: "outside" } });
    await leader.channel.send({ type: "broadcast", event: "e", payload: { from: "inside" } });
    await until(() => inside.received.length >= 1);
    assert.deepEqual([inside.received, outside.received], [[{ from: "inside" }], []]);
  });

  it("REST broadcasts to a private channel require write permission", async (t) => {
    const { enter, url } = await open(t);
    const { received } = await enter("member");
    const post = async (token: string, topics: string[]) => {
      const messages = topics.map((topic) => ({ topic, event: "e", payload: { token }, private: true }));
      const { status } = await fetch(`${url}/realtime/v1/api/broadcast`, {
        method: "POST",
        headers: { apikey: "anon", authorization: `Bearer ${token}` },
        body: JSON.stringify({ messages }),
      });
      return status;
    };
    assert.equal(await post("stranger", ["room"]), 403);
    assert.equal(await post("leader", ["room", "another"]), 403);
    assert.equal(await post("leader", ["room"]), 202);
    await until(() => received.length >= 1);
    assert.deepEqual(received, [{ token: "leader" }]);
  });

  it("a new token makes a private channel check its permissions again", async (t) => {
    const { base, principals, tokens, renamed, enter } = await open(t);
    const { channel } = await enter("member");
    let failures = 0;
    await base.owner.query("delete from public.room_members where user_id = $1", [principals.member.userId]);
    tokens.set("member-again", { principal: principals.member });
    channel.on("system", {}, ({ status }: { status: string }) => {
      if (status === "error") failures += 1;
    });
    renamed.set("member", "member-again");
    await channel.socket.setAuth();
    await until(() => failures >= 1, "the channel was ended");
  });

  it("permission checks of a private channel leave no row and no role on the connection", async (t) => {
    const { base, database, privateTopics, principals } = await open(t);
    for (const principal of [principals.leader, principals.stranger, ANON_PRINCIPAL]) {
      await privateTopics.findReadable(principal, "room");
      await privateTopics.canWrite(principal, "room", "broadcast");
    }
    const { rows } = await base.owner.query("select count(*)::int as count from realtime.messages");
    assert.deepEqual(rows, [{ count: 0 }]);
    for (const pool of [database.user, database.service]) {
      const { rows: who } = await pool.query(
        "select current_user = session_user as is_self, coalesce(current_setting('request.jwt.claims', true), '') as claims",
      );
      assert.deepEqual(who, [{ is_self: true, claims: "" }]);
    }
  });

  it("a failing policy rejects the join without revealing the error", async (t) => {
    const { enter } = await open(t);
    await assert.rejects(enter("member", { topic: "broken" }), (error: Error) => {
      assert.doesNotMatch(error.message, /division|zero/);
      return true;
    });
    await enter("member");
  });

  it("one statement checks many principals, and a policy that fails or is slow affects only its own check", async (t) => {
    const { database, principals } = await open(t);
    const settings = { dbSchemas: ["public"], dbStatementTimeoutMs: 500 };
    const { checkAll } = createPrivateTopics({
      database,
      settings,
      newId: randomUUID,
      translateEnter: translateScopeError,
    });
    const { leader, member, stranger } = principals;
    let statements = 0;
    database.work.on("acquire", () => {
      statements += 1;
    });
    const writes = ["broadcast", "presence"] as const;
    const crowd = Array.from({ length: 50 }, () => ({ principal: { ...stranger }, topic: "room", writes }));
    const results = await checkAll([
      ...crowd,
      { principal: leader, topic: "room", writes },
      { principal: member, topic: "broken", writes },
      { principal: member, topic: "room", writes },
      { principal: ANON_PRINCIPAL, topic: "room", writes },
      { principal: stranger, topic: "hall", writes: [] },
    ]);
    assert.equal(statements, 1);
    const seen = results.map((access) =>
      access instanceof Error ? "failed" : `${[...access.readable].join()} ${[...access.writable].join()}`,
    );
    const all = "broadcast,presence";
    assert.deepEqual(
      seen.slice(0, 50),
      crowd.map(() => " "),
    );
    assert.deepEqual(seen.slice(50), [`${all} ${all}`, "failed", `${all} `, " ", "broadcast "]);

    const [slow, quick] = await checkAll([
      { principal: member, topic: "slow", writes: [] },
      { principal: member, topic: "room", writes: [] },
    ]);
    assert.ok(slow instanceof Error);
    assert.ok(quick !== undefined && !(quick instanceof Error) && quick.readable.size === 2);
  });

  it("stored messages of a private channel are replayed to principals with read permission", async (t) => {
    const { privateTopics, principals } = await open(t);
    const since = new Date(Date.now() - 60_000);
    for (const n of [1, 2, 3]) {
      const payload = Buffer.from(JSON.stringify({ n }));
      await privateTopics.store(principals.leader, "room", { event: "e", isBinary: false, payload, sender: null });
    }
    const bytes = Buffer.from([0, 255, 10]);
    await privateTopics.store(principals.leader, "room", { event: "b", isBinary: true, payload: bytes, sender: null });
    const kept = await privateTopics.replay(principals.member, "room", since, 3);
    assert.deepEqual(
      kept.map(({ event, isBinary, payload }) => [
        event,
        isBinary,
        isBinary ? [...payload] : JSON.parse(String(payload)),
      ]),
      [
        ["e", false, { n: 2 }],
        ["e", false, { n: 3 }],
        ["b", true, [0, 255, 10]],
      ],
    );
    assert.deepEqual(await privateTopics.replay(principals.stranger, "room", since, 25), []);
    await assert.rejects(
      privateTopics.store(principals.member, "room", { event: "e", isBinary: true, payload: bytes, sender: null }),
      /permissions to write/,
    );
  });

  it("a lifetime of a stored message and other variants of options are rejected by name", async (t) => {
    const { base, enter, url } = await open(t);
    const { channel } = await enter("leader");
    await assert.rejects(channel.httpSend("e", { n: 1 }, { persist: { ttl: 60 } }), /persist\[ttl\] is not supported/);
    const kept = { type: "broadcast", event: "e", payload: { n: 1 }, persist: { ttl: 60 } } as const;
    assert.equal(await channel.send(kept), "persist.ttl is not supported");
    for (const query of ["persist[ttl]=60", "persist=1", "private=1", "private[x]=true"]) {
      const answer = await fetch(`${url}/realtime/v1/api/broadcast/room/events/e?${query}`, {
        method: "POST",
        headers: { apikey: "anon", authorization: "Bearer leader" },
        body: "{}",
      });
      const { details } = (await answer.json()) as { details: object };
      assert.deepEqual([answer.status, Object.keys(details)], [400, [query.split("=")[0]]]);
    }
    const { rows } = await base.owner.query("select from realtime.messages");
    assert.deepEqual(rows, []);
    assert.deepEqual(await channel.httpSend("e", { n: 1 }, { persist: true }), { success: true });
  });

  it("a NUL in a private topic, event or payload is a client error", async (t) => {
    const { privateTopics, principals } = await open(t);
    const isRejected = { code: "BAD_REQUEST", status: 400 };
    const message = { event: "e", isBinary: false, payload: Buffer.from("{}"), sender: null };
    await assert.rejects(privateTopics.findReadable(principals.leader, "room\0"), isRejected);
    await assert.rejects(privateTopics.canWrite(principals.leader, "room\0", "broadcast"), isRejected);
    await assert.rejects(privateTopics.store(principals.leader, "room", { ...message, event: "\0" }), isRejected);
    const payload = Buffer.from(JSON.stringify({ text: "\0" }));
    await assert.rejects(privateTopics.store(principals.leader, "room", { ...message, payload }), isRejected);
  });

  it("stored messages are deleted after three days", async (t) => {
    const { base, privateTopics, principals } = await open(t);
    await base.owner.query(`insert into realtime.messages (topic, extension, event, private, inserted_at)
      select 'room', 'broadcast', 'old', true, now() - n * interval '1 day' from generate_series(1, 8) n`);
    const payload = Buffer.from("{}");
    await privateTopics.store(principals.leader, "room", { event: "new", isBinary: false, payload, sender: null });
    const kept = await privateTopics.replay(principals.member, "room", new Date(0), 25);
    assert.deepEqual(
      kept.map(({ event }) => event),
      ["old", "old", "new"],
    );
  });
});
