import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { apiErrorOf, assertValidationBody } from "./support/api-errors.ts";
import { eventually } from "./support/eventually.ts";
import { newPerson, onlyRow, openServiceRole, type Person, REPRESENTATION, type Row } from "./support/people.ts";
import { type Service, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";
import { addAgent, functionsOf } from "./support/webhooks.ts";

const STREAMS = 3;

let service: Service;
let ada: Person;
let bob: Person;
before(async () => {
  service = await startService({ ...UNLIMITED, AGENT_STREAMS_PER_USER: String(STREAMS) });
  [ada, bob] = [await newPerson(service), await newPerson(service)];
});
after(() => service?.stop());

interface Page {
  readonly events: readonly { readonly id: string; readonly type: string; readonly data: { readonly name: string } }[];
  readonly cursor: string;
  readonly lost: number;
}

type By = Pick<Person, "send">;

const addFeed = async ({ send }: By, row: Row = {}): Promise<string> => {
  const body = { name: "Feed", events: ["agent.created"], ...row };
  return String(onlyRow(await send("POST /event_feeds", { body, headers: REPRESENTATION }))["id"]);
};
const call = (by: By, feed_id: string, body: Row = {}, action = "read") =>
  functionsOf(by)("events", { action, feed_id, ...body });
const read = async (by: By, feed: string, body?: Row): Promise<Page> => {
  const answer = await call(by, feed, body);
  assert.equal(answer.status, 200, answer.text);
  return answer.body as unknown as Page;
};
const namesOf = ({ events }: Page): string[] => events.map(({ data }) => data.name);
/** Waits until the feed has that many events. */
const readAll = (by: By, feed: string, count: number): Promise<Page> =>
  eventually(
    () => read(by, feed, { limit: 1_000 }),
    ({ events }) => events.length >= count,
    `${count} events`,
  );

test("6.1 a feed has the events of its types that pass its filter, in an order that a cursor can continue", async () => {
  const feed = await addFeed(ada, { filter: { data: { name: { $startsWith: "bot" } } } });
  const others = await addFeed(bob);
  const start = await read(ada, feed);
  assert.deepEqual([start.events, start.lost], [[], 0]);
  for (const name of ["bot 1", "Ada", "bot 2", "bot 3"]) await addAgent(ada, name);
  const all = await readAll(ada, feed, 3);
  assert.deepEqual(namesOf(all).toSorted(), ["bot 1", "bot 2", "bot 3"]);
  const backlog = await eventually(
    () => ada.send(`GET /event_feed_backlog?feed_id=eq.${feed}`),
    ({ rows }) => rows[0]?.["skipped"] === 1,
    "the event that does not pass is counted",
  );
  assert.deepEqual(backlog.rows, [{ feed_id: feed, events: 3, skipped: 1, consumers: [] }]);
  assert.deepEqual((await bob.send(`GET /event_feed_backlog?feed_id=eq.${feed}`)).rows, []);
  assert.deepEqual(Object.keys(all.events[0] ?? {}), ["id", "type", "created_at", "api_version", "data"]);
  let page = start;
  const names: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    page = await read(ada, feed, { after: page.cursor, limit: 1 });
    names.push(...namesOf(page));
  }
  assert.deepEqual(names, namesOf(all));
  assert.equal(page.cursor, all.cursor);
  assert.deepEqual((await read(ada, feed, { after: page.cursor })).events, []);
  assert.deepEqual(await read(openServiceRole(service), feed), all);
  assert.deepEqual((await read(bob, others)).events, []);
});

test("6.1 a reader that waits gets the next event when it is committed, and nothing after the time", async () => {
  const feed = await addFeed(ada);
  const { cursor } = await read(ada, feed);
  const waiting = read(ada, feed, { after: cursor, wait_seconds: 30 });
  const startedAt = performance.now();
  await addAgent(ada, "next");
  const page = await waiting;
  assert.deepEqual(namesOf(page), ["next"]);
  assert.ok(performance.now() - startedAt < 25_000);
  assert.deepEqual((await read(ada, feed, { after: page.cursor, wait_seconds: 0.2 })).events, []);
});

test("6.1 waiting readers count against the streams of the user", async () => {
  const feed = await addFeed(bob);
  // One that the question below leaves no place asks again.
  const readers = Array.from({ length: STREAMS }, () =>
    eventually(
      () => call(bob, feed, { wait_seconds: 30 }),
      ({ status }) => status === 200,
      "a reader has a place",
    ),
  );
  const refused = await eventually(
    () => call(bob, feed, { wait_seconds: 0.01 }),
    ({ status }) => status === 429,
    "a reader is refused",
  );
  assert.equal(apiErrorOf(refused).code, "RATE_LIMITED");
  assert.deepEqual((await read(bob, feed)).events, [], "a reader that does not wait is not counted");
  await addAgent(bob, "last");
  for (const { body } of await Promise.all(readers)) assert.deepEqual(namesOf(body as unknown as Page), ["last"]);
  assert.deepEqual(namesOf(await read(bob, feed, { wait_seconds: 1 })), ["last"]);
});

test("6.1 a consumer continues after the cursor that it has committed", async () => {
  const feed = await addFeed(ada);
  for (const name of ["one", "two", "three"]) await addAgent(ada, name);
  const names = namesOf(await readAll(ada, feed, 3));
  const first = await read(ada, feed, { consumer: "billing", limit: 2 });
  assert.deepEqual(namesOf(first), names.slice(0, 2));
  const committed = await call(ada, feed, { consumer: "billing", cursor: first.cursor }, "commit");
  assert.deepEqual([committed.status, committed.body], [200, { committed: first.cursor }]);
  assert.deepEqual(namesOf(await read(ada, feed, { consumer: "billing" })), names.slice(2));
  assert.deepEqual(namesOf(await read(ada, feed, { consumer: "search" })), names);
  const backlog = onlyRow(await ada.send(`GET /event_feed_backlog?feed_id=eq.${feed}`));
  const [{ committed_at, ...consumer }] = backlog["consumers"] as [Row];
  assert.deepEqual(consumer, { consumer: "billing", cursor: first.cursor, waiting: 1 });
  assert.ok(Date.parse(String(committed_at)) <= Date.now() + 1_000);
});

test("6.1 feeds and cursors of others, forged cursors and bad input are rejected", async () => {
  const [mine, other, foreign] = [await addFeed(ada), await addFeed(ada), await addFeed(bob)];
  await addAgent(ada);
  await addAgent(bob);
  const { cursor } = await readAll(ada, mine, 1);
  const { cursor: cursorOfBob } = await readAll(bob, foreign, 1);
  const missing = "00000000-0000-7000-8000-000000000000";
  for (const feed of [foreign, missing]) {
    assert.equal(apiErrorOf(await call(ada, feed)).code, "NOT_FOUND");
    assert.equal(apiErrorOf(await call(ada, feed, { wait_seconds: 30 })).code, "NOT_FOUND");
    const commit = { consumer: "a", cursor: cursorOfBob };
    assert.equal(apiErrorOf(await call(ada, feed, commit, "commit")).code, "NOT_FOUND");
  }
  const ahead = cursor.replace(/_\d+$/, "_999999");
  for (const forged of [cursorOfBob, ahead, (await read(ada, other)).cursor, "0", "", `${cursor}0`, "a".repeat(100)]) {
    assertValidationBody(await call(ada, mine, { after: forged }), ["after"]);
    assertValidationBody(await call(ada, mine, { consumer: "a", cursor: forged }, "commit"), ["cursor"]);
  }
  const bad: readonly [Row, string][] = [
    [{ limit: 0 }, "limit"],
    [{ limit: 1_001 }, "limit"],
    [{ wait_seconds: 31 }, "wait_seconds"],
    [{ after: "\0" }, "after"],
    [{ consumer: "" }, "consumer"],
  ];
  for (const [body, field] of bad) assertValidationBody(await call(ada, mine, body), [field]);
  assert.deepEqual((await ada.send(`GET /event_feeds?id=eq.${foreign}`)).rows, []);
});

test("6.1 feeds are rows like webhooks: checked, limited to their owner, and without the app's events by default", async () => {
  const row = { name: "Feed", events: ["agent.created"] };
  const rejected: readonly [Row, readonly string[]][] = [
    [{ name: "" }, ["name"]],
    [{ events: [] }, ["events"]],
    [{ filter: { a: { $no: 1 } } }, ["filter.a.$no"]],
    [{ filter: [] }, ["filter"]],
  ];
  for (const [change, fields] of rejected)
    assertValidationBody(await ada.send("POST /event_feeds", { body: { ...row, ...change } }), fields);
  for (const events of [["agent.exploded"], ["app.missing"]])
    assert.equal(apiErrorOf(await ada.send("POST /event_feeds", { body: { ...row, events } })).code, "INVALID_EVENTS");
  const admin = openServiceRole(service);
  const types = Array.from(
    { length: 40 },
    (_, index) => `app.feed_${Math.random().toString(36).slice(2)}${index}${"x".repeat(50)}`,
  );
  await admin.send("POST /event_types", { body: types.map((name) => ({ name })) });
  const hook = { url: "https://example.com/hook" };
  for (const [table, more] of [
    ["event_feeds", {}],
    ["webhooks", hook],
  ] as const) {
    assertValidationBody(await ada.send(`POST /${table}`, { body: { ...row, ...more, events: types } }), ["events"]);
    const body = { ...row, ...more, events: [...types.slice(0, 20), ...Array(20_000).fill("agent.created")] };
    const made = onlyRow(await ada.send(`POST /${table}`, { body, headers: REPRESENTATION }));
    assert.deepEqual(made["events"], [...types.slice(0, 20), "agent.created"]);
  }
  await admin.send("DELETE /event_types?name=like.app.feed_*");
  for (const change of [{ receives_app_events: true }, { user_id: bob.id }])
    assert.equal((await ada.send("POST /event_feeds", { body: { ...row, ...change } })).status, 403);
});
