import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openStage, rejects, violates } from "./support/stage.ts";

const EVENT = {
  id: "evt_1",
  type: "app.order.paid",
  data: {
    status: "paid",
    total: 59.9,
    count: 0,
    large: 1,
    note: null,
    paid: true,
    email: "ada@example.test",
    at: "2026-11-19T08:00:00Z",
    tags: ["gift", "urgent", 7, null],
    empty: [],
    customer: { tier: "premium", address: { city: "Zürich" } },
    items: [
      { id: 1, name: "a", prices: [5, 10] },
      { id: 2, name: "b", parts: [{ id: 9 }] },
    ],
    nested: [["deep"], [{ id: 3 }]],
    many: Array.from({ length: 200 }, (_, place) => place),
    manyItems: Array.from({ length: 200 }, (_, place) => ({ place })),
    long: `${"a".repeat(4096)}b`,
    "a.b": 1,
  },
};
const TEXT = JSON.stringify(EVENT).replace('"large":1', '"large":12345678901234567890');

/** Filters of `data`, and whether the event above passes them. */
const PASSES: readonly [unknown, boolean][] = [
  [{ status: "paid" }, true],
  [{ status: "Paid" }, false],
  [{ status: "paid", total: 59.9 }, true],
  [{ status: "paid", total: 60 }, false],
  [{ total: "59.9" }, false],
  [{ total: 59.9 }, true],
  [{ count: 0 }, true],
  [{ count: false }, false],
  [{ paid: true }, true],
  [{ note: null }, true],
  [{ missing: null }, false],
  [{ customer: { tier: "premium" } }, true],
  [{ customer: { address: { city: "Zürich" } } }, true],
  [{ customer: { address: "Zürich" } }, false],
  [{ customer: "premium" }, false],
  [{ status: { length: 4 } }, false],
  [{ "a.b": 1 }, true],
  [{ customer: { $eq: { address: { city: "Zürich" }, tier: "premium" } } }, true],
  [{ customer: { $eq: { tier: "premium" } } }, false],
  // Arrays contain.
  [{ tags: "urgent" }, true],
  [{ tags: 7 }, true],
  [{ tags: null }, true],
  [{ tags: "other" }, false],
  [{ tags: ["gift", "urgent"] }, true],
  [{ tags: ["gift", "other"] }, false],
  [{ status: ["paid"] }, false],
  [{ empty: "a" }, false],
  [{ items: { id: 2 } }, true],
  [{ items: { id: 2, name: "b" } }, true],
  [{ items: { id: 2, name: "a" } }, false],
  [{ items: { id: { $gt: 2 } } }, false],
  [{ items: [{ id: 1 }, { id: 2 }] }, true],
  [{ items: [{ id: 1 }, { id: 3 }] }, false],
  [{ items: { prices: 10 } }, true],
  [{ items: { parts: { id: 9 } } }, false],
  [{ nested: "deep" }, false],
  [{ nested: { id: 3 } }, false],
  [{ many: 99 }, true],
  [{ many: 100 }, false],
  [{ many: [98, 99] }, true],
  [{ manyItems: { place: 19 } }, true],
  [{ manyItems: { place: 20 } }, false],
  // Comparisons.
  [{ status: { $eq: "paid" } }, true],
  [{ status: { $neq: "paid" } }, false],
  [{ status: { $neq: "open" } }, true],
  [{ missing: { $neq: "open" } }, false],
  [{ total: { $gt: 59, $lt: 60 } }, true],
  [{ total: { $gte: 59.9, $lte: 59.9 } }, true],
  [{ total: { $gt: 59.9 } }, false],
  [{ total: { $gt: "1" } }, false],
  [{ total: { $lt: 100.5 } }, true],
  [{ large: { $gt: 12345678901234567000 } }, true],
  [{ large: 12345678901234567000 }, false],
  [{ at: { $gte: "2026-11-19", $lt: "2026-11-20" } }, true],
  [{ at: { $lt: "2026-11-19" } }, false],
  [{ status: { $gt: "Z" } }, true],
  [{ tags: { $gt: 1 } }, false],
  [{ note: { $lte: 1 } }, false],
  // Lists and texts.
  [{ status: { $in: ["open", "paid"] } }, true],
  [{ status: { $in: ["open"] } }, false],
  [{ status: { $nin: ["open"] } }, true],
  [{ status: { $nin: ["open", "paid"] } }, false],
  [{ note: { $in: [null] } }, true],
  [{ missing: { $nin: ["open"] } }, false],
  [{ tags: { $in: "urgent" } }, true],
  [{ tags: { $nin: "urgent" } }, false],
  [{ tags: { $nin: "other" } }, true],
  [{ tags: { $in: ["urgent"] } }, false],
  [{ tags: { $nin: ["other"] } }, false],
  [{ status: { $in: "ai" } }, true],
  [{ status: { $nin: "ai" } }, false],
  [{ status: { $in: "%" } }, false],
  [{ total: { $in: 59.9 } }, false],
  [{ long: { $in: "aa" } }, true],
  [{ long: { $in: "ab" } }, false],
  [{ long: { $endsWith: "ab" } }, true],
  [{ email: { $startsWith: "ada@" } }, true],
  [{ email: { $startsWith: ["bob@", "ada@"] } }, true],
  [{ email: { $startsWith: "%" } }, false],
  [{ email: { $endsWith: "@example.test" } }, true],
  [{ email: { $endsWith: [".com", ".org"] } }, false],
  [{ customer: { address: { city: { $endsWith: "ürich" } } } }, true],
  [{ tags: { $startsWith: "g" } }, false],
  // Existence.
  [{ note: { $exist: true } }, true],
  [{ note: { $exist: false } }, false],
  [{ missing: { $exist: true } }, false],
  [{ missing: { $exist: false } }, true],
  [{ missing: { deeper: { $exist: false } } }, false],
  [{ status: { deeper: { $exist: false } } }, false],
  // Logic.
  [{ $or: [{ status: "open" }, { total: { $gt: 1 } }] }, true],
  [{ $or: [{ status: "open" }, { total: { $gt: 100 } }] }, false],
  [{ $or: [{ status: "open" }, { status: "paid" }], total: 1 }, false],
  [{ $and: [{ status: "paid" }, { total: { $gt: 1 } }] }, true],
  [{ $and: [{ status: "paid" }, { total: { $gt: 100 } }] }, false],
  [{ status: { $or: ["open", "paid"] } }, true],
  [{ status: { $or: [{ $startsWith: "o" }, { $endsWith: "d" }] } }, true],
  [{ status: { $not: { $in: ["open", "failed"] } } }, true],
  [{ status: { $not: "paid" } }, false],
  [{ missing: { $not: "paid" } }, false],
  [{ $not: { missing: "paid" } }, true],
  [{ $not: { status: "paid" } }, false],
  [{ $not: { status: "open" }, total: 1 }, false],
  [{ tags: { $not: "other" } }, true],
  [{ tags: { $not: "gift" } }, false],
  [{ items: { $or: [{ id: 5 }, { name: "b" }] } }, true],
  [{ items: { id: 1, $not: { name: "b" } } }, true],
];

const nest = (levels: number): unknown => (levels === 1 ? 1 : { a: nest(levels - 1) });

/** Filters with what is wrong with them, by path. */
const FAULTS: readonly [unknown, Record<string, string>][] = [
  [[], { filter: "must be a JSON object" }],
  ["paid", { filter: "must be a JSON object" }],
  [null, { filter: "must be a JSON object" }],
  [{ data: {} }, { "filter.data": "must not be empty" }],
  [{ data: { a: [] } }, { "filter.data.a": "must not be empty" }],
  [{ $or: [] }, { "filter.$or": "must not be empty" }],
  [{ $or: { a: 1 } }, { "filter.$or": "must be a list of filters" }],
  [{ $and: "a" }, { "filter.$and": "must be a list of filters" }],
  [{ $or: [{ a: 1 }, { b: {} }] }, { "filter.$or.1.b": "must not be empty" }],
  [{ $not: {} }, { "filter.$not": "must not be empty" }],
  [{ a: { $regex: "a+" } }, { "filter.a.$regex": "is not an operator" }],
  [{ a: { $ref: "b" } }, { "filter.a.$ref": "is not an operator" }],
  [{ $: 1 }, { "filter.$": "is not an operator" }],
  [{ a: { $gt: 1, b: 2 } }, { "filter.a": "must not have both fields and operators" }],
  [{ a: { $gt: true } }, { "filter.a.$gt": "must be a text or a number" }],
  [{ a: { $lte: [1] } }, { "filter.a.$lte": "must be a text or a number" }],
  [{ a: { $in: {} } }, { "filter.a.$in": "must be a text, a number, true, false, null or a list of these" }],
  [{ a: { $in: [] } }, { "filter.a.$in": "must be a text, a number, true, false, null or a list of these" }],
  [{ a: { $nin: [[1]] } }, { "filter.a.$nin": "must be a text, a number, true, false, null or a list of these" }],
  [{ a: { $startsWith: 1 } }, { "filter.a.$startsWith": "must be a text or a list of texts" }],
  [{ a: { $endsWith: ["a", 1] } }, { "filter.a.$endsWith": "must be a text or a list of texts" }],
  [{ a: { $exist: "yes" } }, { "filter.a.$exist": "must be true or false" }],
  [{ a: { $exist: [true] } }, { "filter.a.$exist": "must be true or false" }],
  [
    { a: { $exist: 1 }, b: { $no: 1 } },
    { "filter.a.$exist": "must be true or false", "filter.b.$no": "is not an operator" },
  ],
  [{ a: "a".repeat(4096) }, { filter: "must be at most 4096 bytes of JSON" }],
  [nest(18), { filter: "must not be nested deeper than 16 levels" }],
  [{ a: { $in: Array.from({ length: 51 }, (_, place) => place) } }, { filter: "must compare with at most 50 values" }],
  [
    { $or: Array.from({ length: 51 }, (_, place) => ({ a: place })) },
    { filter: "must compare with at most 50 values" },
  ],
];
const WITHIN_BOUNDS: readonly unknown[] = [
  {},
  nest(17),
  { a: { $in: Array.from({ length: 50 }, (_, place) => place) } },
  { a: "a".repeat(4000) },
  { ['"; drop table webhooks; --']: { $eq: "' or true" } },
];

describe("filters", () => {
  const opened = openStage();
  const ask = async (text: string, values: readonly unknown[]) =>
    (await opened.stage.run("internal", `select ${text} as answer`, values))[0]?.["answer"];

  it("pass the events that meet all conditions", async () => {
    for (const [filter, expected] of PASSES) {
      const text = JSON.stringify({ type: "app.order.paid", data: filter });
      assert.equal(await ask("private.find_filter_faults($1)", [text]), null, text);
      assert.equal(await ask("private.passes_filter($1, $2)", [text, TEXT]), expected, text);
    }
    assert.equal(await ask("private.passes_filter($1, $2)", ['{"type": {"$startsWith": "agent."}}', TEXT]), false);
    assert.equal(await ask("private.passes_filter('{}', $1)", [TEXT]), true);
  });

  it("are rejected with a message for each path", async () => {
    for (const [filter, faults] of FAULTS)
      assert.deepEqual(await ask("private.find_filter_faults($1)", [JSON.stringify(filter)]), faults);
    for (const filter of WITHIN_BOUNDS)
      assert.equal(await ask("private.find_filter_faults($1)", [JSON.stringify(filter)]), null);
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, place) => [`f${place}`, { $no: 1 }]));
    const faults = await ask("private.find_filter_faults($1)", [JSON.stringify(many)]);
    assert.equal(Object.keys(faults as object).length, 20);
  });

  it("read a bounded part of an event", async () => {
    const event = JSON.stringify({ data: { items: Array.from({ length: 21 }, (_, id) => ({ id, list: [{ id }] })) } });
    const passes = (filter: object) => ask("private.passes_filter($1, $2)", [JSON.stringify(filter), event]);
    assert.equal(await passes({ data: { items: { id: 19 } } }), true);
    assert.equal(await passes({ data: { items: { id: 20 } } }), false);
    assert.equal(await passes({ data: { items: { list: { id: 1 } } } }), false);
  });

  it("of all webhooks and feeds of a user have at most 500 values", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const hook = { name: "Hook", url: "https://hooks.example.com/x", events: ["message.created"] };
    const filter = { data: Object.fromEntries(Array.from({ length: 50 }, (_, place) => [`f${place}`, 1])) };
    const ids: string[] = [];
    for (let at = 0; at < 9; at += 1) ids.push((await stage.insert(user, "webhooks", { ...hook, filter })).id);
    const feed = { name: "Feed", events: ["message.created"] };
    await stage.insert(user, "event_feeds", { ...feed, filter });
    const { id } = await stage.insert(user, "webhooks", hook);
    await rejects(stage.update(user, "webhooks", id, { filter: { type: "a" } }), violates("webhooks_filter_valid"));
    await rejects(
      stage.insert(user, "event_feeds", { ...feed, filter: { type: "a" } }),
      violates("event_feeds_filter_valid"),
    );
    await stage.update(user, "webhooks", ids[0] ?? "", { filter: null });
    await stage.update(user, "webhooks", id, { filter });
    await stage.insert(await stage.newUser(), "webhooks", { ...hook, filter });
  });

  it("of webhooks are checked when they are written, and an empty one is none", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const hook = { name: "Hook", url: "https://hooks.example.com/x", events: ["message.created"] };
    const invalid = { filter: { data: { a: { $regex: "a" } } } };
    const { id, filter } = await stage.insert(user, "webhooks", { ...hook, filter: {} });
    assert.equal(filter, null);
    await rejects(stage.insert(user, "webhooks", { ...hook, ...invalid }), violates("webhooks_filter_valid"));
    for (const caller of [user, "service_role", "internal"])
      await rejects(stage.update(caller, "webhooks", id, invalid), violates("webhooks_filter_valid"));
    const [changed] = await stage.update(user, "webhooks", id, { filter: { data: { total: { $gt: 1 } } } });
    assert.deepEqual(changed?.["filter"], { data: { total: { $gt: 1 } } });
  });
});
