import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { EVENT_TYPES } from "@swarmbase/sdk";
import pg from "pg";
import { openStage, type Stage } from "./support/stage.ts";
import { until } from "../support/until.ts";

let stage: Stage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openStage({ after: (close) => void closers.push(close) });
  // Feeds are read as the service role.
  await stage.sql.query(`select set_config('request.jwt.claims', '{"role": "service_role"}', false)`);
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

const newFeed = async (userId: string, more: { readonly filter?: unknown } = {}): Promise<string> => {
  const { rows } = await stage.sql.query<{ id: string }>(
    "insert into public.event_feeds (user_id, name, events, filter) values ($1, 'feed', '{agent.created}', $2) returning id",
    [userId, more.filter ?? null],
  );
  return rows[0]?.id ?? "";
};
const connect = async (): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: stage.database.url("sb_service") });
  await client.connect();
  closers.push(() => client.end());
  return client;
};
const fanOut = (client: Pick<pg.Client, "query">) =>
  client.query("select fed from private.fan_out_events(max_events => 100, first_delay => '0')");
const entriesOf = (feed: string) =>
  stage.rows<{ position: string; name: string }>(
    `select position, payload -> 'data' ->> 'name' as name from private.event_feed_entries
     where feed_id = $1 order by position`,
    [feed],
  );

describe("event feeds", () => {
  test("a position is visible only when all before it are, whatever fan-out commits first", async () => {
    const user = await stage.newUser();
    const feeds = [await newFeed(user), await newFeed(user)];
    const [first, second, reader] = [await connect(), await connect(), await connect()];
    await stage.sql.query("insert into public.agents (user_id, name) values ($1, 'one')", [user]);
    await first.query("begin");
    await fanOut(first);
    await stage.sql.query("insert into public.agents (user_id, name) values ($1, 'two')", [user]);
    let isDone = false;
    const later = fanOut(second).then(() => {
      isDone = true;
    });
    // The second fan-out has taken the other event, and waits for the positions that the first has locked.
    await until(async () => {
      const { rows } = await reader.query(
        "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'fed'",
      );
      return rows.length > 0;
    });
    assert.equal(isDone, false);
    for (const feed of feeds) assert.deepEqual(await entriesOf(feed), []);
    await first.query("commit");
    await later;
    for (const feed of feeds)
      assert.deepEqual(await entriesOf(feed), [
        { position: "1", name: "one" },
        { position: "2", name: "two" },
      ]);
  });

  test("a fan-out that is rolled back leaves no gap, and the event comes with the next one", async () => {
    const user = await stage.newUser();
    const feed = await newFeed(user);
    const client = await connect();
    await stage.newAgents(user);
    await client.query("begin");
    await fanOut(client);
    await client.query("rollback");
    await fanOut(client);
    await stage.newAgents(user);
    await fanOut(client);
    assert.deepEqual(
      (await entriesOf(feed)).map(({ position }) => position),
      ["1", "2"],
    );
  });

  test("a feed has the bytes that a webhook is sent, and retention deletes them", async () => {
    const user = await stage.newUser();
    const feed = await newFeed(user);
    const webhook = await stage.newWebhook(user, "https://example.test/");
    await stage.newAgents(user, 3);
    await fanOut(await connect());
    const [same] = await stage.rows<{ count: string }>(
      `select count(*) from private.event_feed_entries e
       join public.webhook_deliveries d on d.event_id = e.event_id and d.payload::text = e.payload::text
       where e.feed_id = $1 and d.webhook_id = $2`,
      [feed, webhook],
    );
    assert.equal(same?.count, "3");
    await stage.sql.query(
      `update private.event_feed_entries set created_at = now() - interval '40 days',
         id = overlay(id::text placing '0000000' || (position % 10)::text from 1 for 8)::uuid
       where feed_id = $1 and position < 3`,
      [feed],
    );
    const { webhooks } = stage.open({ times: { housekeepingIntervalMs: 50 } });
    const stopping = new AbortController();
    const running = webhooks.workers.find(({ name }) => name === "webhook-keeper")?.run(stopping.signal);
    await until(async () => (await entriesOf(feed)).length === 1);
    stopping.abort();
    await running;
    const [left] = await stage.rows<{ lost: string; cursor: string }>(
      `select lost, cursor from private.read_event_feed($1::uuid, private.render_feed_cursor($1::uuid, 1), null, 10, 1000)`,
      [feed],
    );
    assert.equal(left?.lost, "1");
  });

  test("a response holds at most so many bytes, and at least one event", async () => {
    const user = await stage.newUser();
    const feed = await newFeed(user);
    await stage.newAgents(user, 3);
    await fanOut(await connect());
    const readNumber = async (bytes: number): Promise<number> => {
      const [row] = await stage.rows<{ events: string }>(
        "select events from private.read_event_feed($1, null, null, 10, $2)",
        [feed, bytes],
      );
      return (JSON.parse(row?.events ?? "[]") as unknown[]).length;
    };
    const [{ bytes } = { bytes: 0 }] = await stage.rows<{ bytes: number }>(
      "select min(bytes) as bytes from private.event_feed_entries where feed_id = $1",
      [feed],
    );
    assert.deepEqual([await readNumber(1), await readNumber(2 * bytes + 100), await readNumber(1_000_000)], [1, 2, 3]);
  });

  test("a feed can have every type of event", async () => {
    const user = await stage.newUser();
    const add = (events: readonly string[]) =>
      stage.sql.query("insert into public.event_feeds (user_id, name, events) values ($1, 'feed', $2)", [user, events]);
    await add(EVENT_TYPES);
    await assert.rejects(add(["agent.exploded"]), { constraint: "event_feeds_events_known" });
  });

  test("a user has at most 100 feeds", async () => {
    const user = await stage.newUser();
    const add = (count: number) =>
      stage.sql.query(
        "insert into public.event_feeds (user_id, name, events) select $1, 'feed', '{agent.created}' from generate_series(1, $2)",
        [user, count],
      );
    await add(100);
    await assert.rejects(add(1), { constraint: "event_feeds_user_id_limit" });
  });
});
