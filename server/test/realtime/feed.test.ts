import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bind, principalOf, openFeedStage } from "./feed-stage.ts";
import { newRowId } from "../../src/db/index.ts";
import { until } from "../support/until.ts";

const LONG = Array.from({ length: 3000 }, (_, at) => `line ${at * 7919}`).join("\n");

describe("the change feed", () => {
  const opened = openFeedStage();

  it("the feed delivers each change to the owner and none to other users", async () => {
    const { stage, node } = opened;
    const [owner, stranger] = [await stage.newUser(), await stage.newUser()];
    const mine = await stage.subscribe(node, principalOf(owner), [bind("agents")]);
    const theirs = await stage.subscribe(node, principalOf(stranger), [bind("agents")]);
    const id = await stage.newAgent(owner, { name: "Ada" });
    await stage.update(owner, "agents", id, { status: "thinking" });
    await stage.remove(owner, "agents", id);
    const [inserted, updated, removed] = await mine.next(3);
    assert.equal(inserted?.type, "INSERT");
    assert.equal(inserted?.record?.["name"], "Ada");
    assert.equal("old_record" in (inserted ?? {}), false);
    assert.deepEqual([updated?.type, updated?.record?.["status"], updated?.old_record], ["UPDATE", "thinking", { id }]);
    assert.deepEqual([removed?.type, removed?.old_record], ["DELETE", { id, user_id: owner }]);
    assert.equal("record" in (removed ?? {}), false);
    await stage.settle(node);
    assert.deepEqual(theirs.received, []);
  });

  it("a row can be read when the feed delivers its change", async () => {
    const { stage, node } = opened;
    const users = await Promise.all(Array.from({ length: 4 }, () => stage.newUser()));
    const reads: Promise<number | null>[] = [];
    for (const user of users) {
      const listener = await stage.subscribe(node, principalOf(user), [bind("agents")]);
      const deliver = listener.deliver.bind(listener);
      listener.deliver = (ids, data) => {
        deliver(ids, data);
        const { record } = JSON.parse(data) as { record: { id: string } };
        const read = node.database.service.query("select 1 from public.agents where id = $1", [record.id]);
        reads.push(read.then(({ rowCount }) => rowCount));
      };
    }
    const rounds = Array.from({ length: 60 });
    await Promise.all(
      users.map(async (user) => {
        for (const _ of rounds) await stage.newAgent(user);
      }),
    );
    await until(() => reads.length === users.length * rounds.length);
    assert.deepEqual(
      (await Promise.all(reads)).filter((count) => count !== 1),
      [],
    );
  });

  it("a change is delivered when its visibility cannot be determined", async () => {
    const { stage } = opened;
    const owner = await stage.newUser();
    const node = stage.startNode();
    const listener = await stage.subscribe(node, principalOf(owner), [bind("agents")]);
    await stage.newAgent(owner, { name: "First" });
    await listener.next();
    const { service } = node.database;
    const query = service.query.bind(service) as (text: string, ...rest: unknown[]) => Promise<never>;
    let refusals = 0;
    Object.assign(service, {
      query: (text: string, ...rest: unknown[]) => {
        if (!text.includes("pg_current_snapshot")) return query(text, ...rest);
        refusals += 1;
        return Promise.reject(new Error("no connection"));
      },
    });
    await stage.newAgent(owner, { name: "Second" });
    const [change] = await listener.next();
    assert.deepEqual([change?.record?.["name"], listener.losses], ["Second", []]);
    assert.ok(refusals > 0);
    await node.stop();
  });

  it("the feed renders every value as row_to_json does", async () => {
    const { stage, node } = opened;
    const { owner } = stage.database;
    await owner.query(`
      create type public.mood as enum ('low', 'high');
      create type public.pair as (a int, b text, c timestamptz);
      create domain public.score as numeric check (value >= 0);
      create table public.kinds (
        id bigint primary key, i2 smallint, f4 real, f8 double precision, n numeric, s public.score, b boolean, t text, v varchar(10), c char(4),
        j json, jb jsonb, ts timestamp, tz timestamptz, d date, tm time, iv interval, u uuid, by bytea, m public.mood, p public.pair,
        r int4range, mr int4multirange, ip inet, ia int[], ta text[], na numeric[][], ba boolean[], ma public.mood[], pa public.pair[], ja jsonb[], tza timestamptz[], x xml, bx box[], g int generated always as (i2 * 2) stored);
      alter publication swarmbase add table public.kinds`);
    const listener = await stage.subscribe(node, principalOf("service_role"), [bind("kinds")]);
    const rows = [
      `(9007199254740993, -3, 1.5e10, 1e300, 123456789012345678901234567890.1200, 1.50, true, E'a "q" \\\\ \\n é 😀', 'v', 'c', '{"a" : [1, 2.50]}', '{"b": null}',
        '2026-11-15 06:00:00', '2026-11-15 06:00:00.123456+02', '2026-02-03', '12:34:56.7', '1 year 2 days 03:04:05', '0190b2b8-0000-7000-8000-000000000001', '\\x00ff', 'high', '(1,"a ""b"", \\\\ c",2026-01-01 00:00:00+00)',
        '[1,5)', '{[1,2),[5,7)}', '10.0.0.1/8', '{1,NULL,3}', '{"a,b","NULL",NULL,"{x}","q\\"z",""}', '{{1.0,2.5},{3,4}}', '{t,f}', '{low,high}', array[(1,'x y','2026-01-01'),(null,null,null)]::pair[], array['{"a": 1}','[1]']::jsonb[], '{2026-01-01 00:00:00+00,infinity}', '<a>1</a>', '{(1,1),(0,0);(3,3),(2,2)}')`,
      `(2, null, 'NaN', 'Infinity', 'NaN', null, false, '', null, '', 'null', '"x"', 'infinity', '-infinity', '0044-03-15 BC', null, '-00:00:01', null, '', null, '(,,)', 'empty', '{}', '::1', '[2:3]={7,8}', '{}', '{}', null, null, null, null, null, null, null)`,
      `(3, 0, 0.1, 0.1, 0, 0, null, null, null, null, null, null, '0044-03-15 01:02:03 BC', '0044-03-15 01:02:03 BC', null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null)`,
    ];
    for (const row of rows)
      await owner.query(
        `set timezone = 'Asia/Kolkata'; set search_path = public; insert into kinds values ${row}; reset search_path`,
      );
    await owner.query("set timezone = 'UTC'");
    const { rows: expected } = await owner.query<{ text: string }>(
      "select row_to_json(k)::text as text from public.kinds k order by array_position('{9007199254740993,2,3}', id)",
    );
    await listener.until(() => listener.texts.length >= rows.length);
    listener.texts.forEach((text, at) => {
      assert.deepEqual(listener.received[at]?.record, JSON.parse(expected[at]?.text ?? ""));
      // Numbers beyond what JavaScript can hold come through as they are.
      if (at === 0) assert.match(text, /"id":9007199254740993,.*"n":123456789012345678901234567890\.1200,/);
    });
    assert.equal(listener.received[0]?.record?.["tz"], "2026-11-15T04:00:00.123456+00:00");
    const types = Object.fromEntries(listener.received[0]?.columns.map(({ name, type }) => [name, type]) ?? []);
    assert.deepEqual([types["id"], types["jb"], types["ta"], types["m"]], ["int8", "jsonb", "_text", "mood"]);
    assert.match(listener.received[0]?.commit_timestamp ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    listener.subscription?.close();
  });

  it("the feed delivers transactions in commit order", async () => {
    const { stage, node } = opened;
    const owner = await stage.newUser();
    const listener = await stage.subscribe(node, principalOf(owner), [bind("agents")]);
    const mayCommit = Promise.withResolvers<void>();
    const hasWritten = Promise.withResolvers<void>();
    const first = stage.transaction("service_role", async (query) => {
      await query("insert into agents (user_id, name) values ($1, 'began first')", [owner]);
      hasWritten.resolve();
      await mayCommit.promise;
    });
    await hasWritten.promise;
    const another = stage.run(
      "service_role",
      "insert into agents (user_id, name) select $1, 'began last ' || n from generate_series(1, 3) n",
      [owner],
    );
    // The limit of agents locks their owner's row, so the second waits for the first unless there is none.
    await Promise.race([another, new Promise((resolve) => setTimeout(resolve, 200))]);
    mayCommit.resolve();
    await Promise.all([first, another]);
    const received = await listener.next(4);
    const times = received.map(({ commit_timestamp }) => commit_timestamp);
    assert.deepEqual(times, times.toSorted());
    assert.deepEqual(
      received.slice(-3).map(({ record }) => record?.["name"]),
      ["began last 1", "began last 2", "began last 3"],
    );
  });

  it("the feed delivers every change that commits after a subscribe call resolves", async () => {
    const { stage, node } = opened;
    const owner = await stage.newUser();
    const id = await stage.newAgent(owner);
    let isOver = false;
    const writing = (async () => {
      while (!isOver) await stage.update("service_role", "agents", id, { role: String(Math.random()) });
    })();
    const rounds = Array.from({ length: 40 }, async (_, at) => {
      const listener = await stage.subscribe(node, principalOf(owner, { jti: at }), [
        bind("agents", { filter: `id=eq.${id}` }),
      ]);
      const mark = `round ${at}`;
      await stage.update("service_role", "agents", id, { name: mark });
      await listener.until(() => listener.received.some(({ record }) => record?.["name"] === mark));
      listener.subscription?.close();
    });
    await Promise.all(rounds).finally(() => {
      isOver = true;
    });
    await writing;
  });

  it("the feed fetches unchanged TOAST values or reports that it could not", async () => {
    const { stage, node } = opened;
    const owner = await stage.newUser();
    const id = await stage.newAgent(owner, { system_prompt: LONG });
    const listener = await stage.subscribe(node, principalOf(owner), [bind("agents")]);
    await stage.update(owner, "agents", id, { status: "thinking" });
    const [whole] = await listener.next();
    assert.equal(whole?.record?.["system_prompt"], LONG);
    assert.equal(whole?.errors, null);
    await stage.transaction(owner, async (query) => {
      await query("update agents set status = 'idle' where id = $1", [id]);
      await query("delete from agents where id = $1", [id]);
    });
    const [partial, removed] = await listener.next(2);
    assert.equal("system_prompt" in (partial?.record ?? {}), false);
    assert.match(partial?.errors?.[0] ?? "", /could not be read/);
    assert.equal(removed?.type, "DELETE");
  });

  it("the feed omits long values of an oversized change", async () => {
    const { stage } = opened;
    const node = stage.startNode({ maxRecordBytes: 4000 });
    const owner = await stage.newUser();
    const listener = await stage.subscribe(node, principalOf(owner), [bind("agents")]);
    await stage.newAgent(owner, { name: "Ada", system_prompt: LONG });
    const [received] = await listener.next();
    assert.deepEqual(received?.errors, ["Error 413: Payload Too Large"]);
    assert.equal(received?.record?.["name"], "Ada");
    assert.equal("system_prompt" in (received?.record ?? {}), false);
    await node.stop();
  });

  it("the feed delivers messages between nodes in one order, larger than NOTIFY allows", async () => {
    const { stage, node } = opened;
    const other = stage.startNode();
    await until(() => other.changes.state() === "live");
    const received: string[][] = [[], []];
    [node, other].forEach(({ changes }, at) =>
      changes.onMessage("test.chat", (content) => received[at]?.push(content.toString())),
    );
    const words = Array.from({ length: 300 }, (_, at) => `${at} ${"x".repeat(at === 7 ? 100_000 : 10)}`);
    await Promise.all(
      words.map((word, at) => (at % 2 === 0 ? node : other).changes.emit("test.chat", Buffer.from(word))),
    );
    await until(() => received.every((list) => list.length === words.length));
    assert.deepEqual(received[0], received[1]);
    assert.deepEqual(received[0]?.toSorted(), words.toSorted());
    const even = received[0]
      ?.filter((word) => Number.parseInt(word, 10) % 2 === 0)
      .map((word) => Number.parseInt(word, 10));
    assert.deepEqual(
      even,
      even?.toSorted((a, b) => a - b),
    );
    await other.stop();
  });

  it("the feed delivers messages that SQL sends when the transaction commits", async () => {
    const { stage, node } = opened;
    const received: Record<string, unknown>[] = [];
    node.changes.onMessage("realtime.send", (content) =>
      received.push(JSON.parse(content.toString()) as Record<string, unknown>),
    );
    const user = await stage.newUser();
    await stage.run(user, `select realtime.send('{"a": 1}', 'hi', 'room', false)`);
    await stage
      .transaction(user, async (query) => {
        await query(`select realtime.send('{"a": 2}', 'never', 'room', false)`);
        await query(`select pg_logical_emit_message(false, 'realtime.send', '{"event": "at once"}')`);
        throw new Error("taken back");
      })
      .catch(() => {});
    await stage.run(user, `select realtime.send_binary('\\x0102', 'raw', 'room', true)`);
    await until(() => received.length >= 2);
    assert.partialDeepStrictEqual(received[0], {
      topic: "room",
      event: "hi",
      private: false,
      payload: { a: 1 },
      binary: null,
    });
    assert.partialDeepStrictEqual(received[1], {
      topic: "room",
      event: "raw",
      private: true,
      payload: null,
      binary: "AQI=",
    });
    const kept = await stage.run("internal", "select topic, event from realtime.messages");
    assert.deepEqual(kept, [{ topic: "room", event: "raw" }]);
  });

  it("the feed reports deleted run events to those who could read them", async () => {
    const { stage, node } = opened;
    const [owner, member, stranger] = [await stage.newUser(), await stage.newUser(), await stage.newUser()];
    const swarm = await stage.newSwarm(owner, { [member]: "member" });
    const agent = await stage.newAgent(member);
    // In the second partition, which begins a day after the migration: it must have the replica identity of the first.
    const id = newRowId(new Date(Date.now() + 2 * 86_400_000));
    const runId = (
      await stage.insert("internal", "runs", { id, swarm_id: swarm, user_id: owner, strategy: "parallel" })
    ).id;
    const add = (seq: number, rest: Record<string, unknown> = {}) =>
      stage.run(
        "internal",
        "insert into public.run_events select * from jsonb_populate_record(null::public.run_events, $1)",
        [
          {
            run_id: runId,
            seq,
            swarm_id: swarm,
            restricted: false,
            type: "t",
            data: {},
            created_at: new Date(),
            ...rest,
          },
        ],
      );
    await add(1);
    await add(2, { restricted: true });
    await add(3, { restricted: true, agent_id: agent });
    const bindings = [bind("run_events", { event: "DELETE" })];
    const [all, some, none] = await Promise.all(
      [owner, member, stranger].map((user) => stage.subscribe(node, principalOf(user), bindings)),
    );
    await stage.run("internal", "delete from public.run_events where run_id = $1", [runId]);
    const seqs = async (listener: typeof all, count: number) =>
      (await listener?.next(count))?.map(({ old_record: old }) => [old?.["run_id"] === runId, old?.["seq"]]);
    assert.deepEqual(
      await seqs(all, 3),
      [1, 2, 3].map((seq) => [true, seq]),
    );
    assert.deepEqual(
      await seqs(some, 2),
      [1, 3].map((seq) => [true, seq]),
    );
    await add(4);
    await stage.run("internal", "delete from public.swarms where id = $1", [swarm]);
    assert.deepEqual(await seqs(some, 1), [[true, 4]]);
    await stage.settle(node);
    assert.deepEqual(none?.received, []);
  });

  it("the feed reports sign-outs, bans and deletions and ends their subscriptions", async () => {
    const { stage, node } = opened;
    const ended: string[] = [];
    node.changes.onSessionsEnded(({ sessionIds, userIds }) => ended.push(...sessionIds, ...userIds));
    const people = await Promise.all(
      ["out", "banned", "gone", "well"].map(async () => {
        const userId = await stage.newUser();
        const { id: sessionId } = await stage.insert("internal", "auth.sessions", {
          user_id: userId,
          refresh_key_wrapped: "x",
        });
        const principal = { ...principalOf(userId), session: { userId, sessionId, inactivitySeconds: 0 } };
        return { userId, sessionId, listener: await stage.subscribe(node, principal, [bind("agents")]) };
      }),
    );
    const [out, banned, gone, well] = people;
    assert.ok(out && banned && gone && well);
    await stage.run("internal", "update auth.sessions set refresh_counter = 2 where id = $1", [well.sessionId]);
    await stage.run(
      "internal",
      "update auth.users set last_sign_in_at = now(), banned_until = now() - interval '1 day' where id = $1",
      [well.userId],
    );
    await stage.run("internal", "delete from auth.sessions where id = $1", [out.sessionId]);
    await stage.run("internal", "update auth.users set banned_until = now() + interval '1 day' where id = $1", [
      banned.userId,
    ]);
    await stage.run("internal", "delete from auth.users where id = $1", [gone.userId]);
    await stage.newAgent(well.userId);
    await well.listener.next();
    assert.deepEqual(
      people.map(({ listener }) => listener.losses.length),
      [1, 1, 1, 0],
    );
    for (const id of [out.sessionId, banned.userId, banned.sessionId, gone.userId]) assert.ok(ended.includes(id), id);
    for (const id of [well.userId, well.sessionId]) assert.equal(ended.includes(id), false);
  });
});
