import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type NodeOutline, outlineOf, planOf } from "./support/planning.ts";

type Case = readonly [url: string, node: NodeOutline];

const COLUMNS: readonly Case[] = [
  ["projects", { outputs: ["*"] }],
  ["projects?select=", { outputs: [] }],
  ["projects?select=id,n:name", { outputs: ["id = id", "n = name"] }],
  ["projects?select=*,full_name", { outputs: ["*", "full_name = full_name()"] }],
  ["projects?select=nothing", { outputs: ["nothing = nothing?"] }],
  ["projects?select=id::text,b:budget::int", { outputs: ["id = id::text", "b = budget::int"] }],
  ["projects?select=data->a->>b", { outputs: ["b = data->a->>b"] }],
  ["projects?select=data->1->a->>2", { outputs: ["a = data->1->a->>2"] }],
  ["projects?select=data->0", { outputs: ["data = data->0"] }],
  ["projects?select=x:data->>a", { outputs: ["x = data->>a"] }],
  ["projects?select=tags->0,extras->>k", { outputs: ["tags = json(tags)->0", "k = extras()->>k"] }],
  ["projects?select=nothing->a", { outputs: ["a = json(nothing?)->a"] }],
];

const FILTERS: readonly (readonly [search: string, ...where: string[]])[] = [
  ["id=eq.1&name=not.like.a*", "id eq 1", "not name like a%"],
  ["id=gt(any).{1,2}", "id gt any {1,2}"],
  ["id=in.(1,2)&id=not.in.(3)", 'id in {"1","2"}', 'not id in {"3"}'],
  ["name=is.null&name=not.is.null&name=is.not_null", "name is null", "not name is null", "name is not_null"],
  ["name=is.unknown", "name is unknown"],
  ["name=isdistinct.a", "name isdistinct a"],
  ["words=fts.a", "words @@ to_tsquery(a)"],
  ["words=not.wfts(english).a", "not words @@ websearch_to_tsquery(english, a)"],
  ["name=plfts.a&data->>x=phfts.b", "vector(name) @@ plainto_tsquery(a)", "vector(data->>x) @@ phraseto_tsquery(b)"],
  ["tags=cs.{a}&tags=ov.{b}", "tags cs {a}", "tags ov {b}"],
  ["full_name=eq.a&nothing=eq.b", "full_name() eq a", "nothing? eq b"],
  ["or=(id.eq.1,not.and(id.gt.2,name.eq.a))", "or(id eq 1, not and(id gt 2, name eq a))"],
];

const EMBEDS: readonly Case[] = [
  [
    "projects?select=id,clients(name)",
    { outputs: ["id = id", { "clients = one clients": { outputs: ["name = name"] } }] },
  ],
  ["clients?select=projects(*)", { outputs: [{ "projects = many projects": { outputs: ["*"] } }] }],
  ["projects?select=details(*)", { outputs: [{ "details = one details": { outputs: ["*"] } }] }],
  ["users?select=tasks(*)", { outputs: [{ "tasks = many tasks through": { outputs: ["*"] } }] }],
  ["users?select=users(*)", { outputs: [{ "users = many users": { outputs: ["*"] } }] }],
  ["users?select=boss:boss_id(*)", { outputs: [{ "boss = one users": { outputs: ["*"] } }] }],
  ["clients?select=newest(*)", { outputs: [{ "newest = one projects()": { outputs: ["*"] } }] }],
  [
    "tickets?select=author:users!tickets_author_id_fkey(id)",
    { outputs: [{ "author = one users": { outputs: ["id = id"] } }] },
  ],
  [
    "clients?select=p:projects(tasks(*))&p.budget=gt.1&p.order=id&p.limit=2&p.offset=1&p.tasks.title=eq.a",
    {
      outputs: [
        {
          "p = many projects": {
            outputs: [{ "tasks = many tasks": { outputs: ["*"], where: ["title eq a"] } }],
            where: ["budget gt 1"],
            order: ["id"],
            limit: "2",
            offset: "1",
          },
        },
      ],
    },
  ],
  [
    "clients?select=p:projects(*)&projects.budget=gt.1&p.id=eq.2&projects.limit=3",
    { outputs: [{ "p = many projects": { outputs: ["*"], where: ["budget gt 1", "id eq 2"], limit: "3" } }] },
  ],
  [
    "clients?select=projects:all_projects(id),all:projects(name)&projects.id=eq.1",
    {
      outputs: [
        { "projects = many projects()": { outputs: ["id = id"], where: ["id eq 1"] } },
        { "all = many projects": { outputs: ["name = name"] } },
      ],
    },
  ],
  [
    "projects?select=clients(*)&clients.limit=1&clients.offset=2",
    { outputs: [{ "clients = one clients": { outputs: ["*"] } }] },
  ],
];

const PRESENCE: readonly Case[] = [
  [
    "clients?select=projects!inner(id)&projects.budget=gt.1",
    {
      outputs: [{ "projects = many projects": { outputs: ["id = id"], where: ["budget gt 1"] } }],
      where: ["exists many projects(budget gt 1)"],
    },
  ],
  ["clients?select=id,projects()", { outputs: ["id = id"] }],
  ["clients?select=id,projects(tasks())", { outputs: ["id = id"] }],
  ["clients?select=id,...projects()", { outputs: ["id = id"] }],
  ["clients?select=projects!inner()", { outputs: [], where: ["exists many projects()"] }],
  ["clients?select=id,projects()&projects=is.null", { outputs: ["id = id"], where: ["not exists many projects()"] }],
  ["clients?select=id,projects()&projects=not.is.null", { outputs: ["id = id"], where: ["exists many projects()"] }],
  ["clients?select=id,projects()&projects=is.not_null", { outputs: ["id = id"], where: ["exists many projects()"] }],
  [
    "clients?select=id,projects()&projects=not.is.not_null",
    { outputs: ["id = id"], where: ["not exists many projects()"] },
  ],
  ["clients?select=id,p:projects()&p=is.null", { outputs: ["id = id"], where: ["not exists many projects()"] }],
  ["clients?select=id,p:projects()&projects=is.null", { outputs: ["id = id"], where: ["not exists many projects()"] }],
  [
    "clients?select=id,projects()&or=(name.eq.a,projects.not.is.null)&projects.id=eq.1",
    { outputs: ["id = id"], where: ["or(name eq a, exists many projects(id eq 1))"] },
  ],
  ["clients?select=id,projects()&projects=eq.1", { outputs: ["id = id"], where: ["projects? eq 1"] }],
  ["clients?select=id,projects()&projects=is.true", { outputs: ["id = id"], where: ["projects? is true"] }],
  ["users?select=id,boss:boss_id()&boss_id=is.null", { outputs: ["id = id"], where: ["boss_id is null"] }],
  ["users?select=id,boss_id()&boss_id=is.null", { outputs: ["id = id"], where: ["not exists one users()"] }],
  [
    "clients?select=id,projects!inner(tasks!inner())&projects.tasks.id=eq.1",
    { outputs: ["id = id"], where: ["exists many projects(exists many tasks(id eq 1))"] },
  ],
];

const ORDERS: readonly (readonly [search: string, ...order: string[]])[] = [
  ["order=name.desc.nullslast,id", "name desc last", "id"],
  ["order=data->a->>b.asc,full_name", "data->a->>b asc", "full_name()"],
  ["select=*,clients()&order=clients(name).desc", "one clients.name desc"],
  ["select=*,c:clients()&order=c(name),clients(id)", "one clients.name", "one clients.id"],
  ["select=*,...clients(name)&order=clients(name)", "one clients.name"],
];

describe("planning what is selected", () => {
  for (const [url, node] of COLUMNS) it(url, () => assert.deepEqual(outlineOf(url), node));
});

describe("planning filters", () => {
  for (const [search, ...where] of FILTERS) {
    it(search, () => assert.deepEqual(outlineOf(`projects?${search}`).where, where));
  }
});

describe("planning embeds", () => {
  for (const [url, node] of EMBEDS) it(url, () => assert.deepEqual(outlineOf(url), node));
});

describe("planning the presence of embeds", () => {
  for (const [url, node] of PRESENCE) it(url, () => assert.deepEqual(outlineOf(url), node));

  it("grows linearly with the depth of inner embeds", () => {
    const deep = `${"users!inner(".repeat(40)}id${")".repeat(40)}`;
    const { plan } = planOf(`users?select=${deep}`);
    assert.ok(JSON.stringify(plan).length < 1_000_000);
  });
});

describe("planning order", () => {
  for (const [search, ...order] of ORDERS) {
    it(search, () => assert.deepEqual(outlineOf(`projects?${search}`).order, order));
  }
});

describe("planning the answer", () => {
  it("contains the requested count and the row cap", () => {
    const { plan, parameterised } = planOf("clients?limit=20", {
      maxRows: 10,
      input: { headers: { prefer: "count=exact" } },
    });
    assert.deepEqual(parameterised.values, []);
    assert.deepEqual([plan.root.limit, plan.root.isCapped], [null, true]);
    assert.deepEqual(plan.answer, {
      body: { kind: "array", hasNulls: true },
      count: "exact",
      mustBeSingle: false,
      maxAffected: null,
      isCapped: true,
    });
  });

  it("has no cap when filters fix the primary key", () => {
    const { plan } = planOf("clients?id=eq.1", { maxRows: 10 });
    assert.deepEqual([plan.answer.isCapped, plan.root.isCapped, plan.root.limit], [false, undefined, null]);
    for (const search of ["id=gt.1", "id=not.eq.1", "id=eq(any).{1,2}", "or=(id.eq.1,id.eq.2)", "name=eq.a"]) {
      assert.ok(planOf(`clients?${search}`, { maxRows: 10 }).plan.answer.isCapped, search);
    }
  });

  it("has no cap when the limit is lower", () => {
    const { plan, parameterised } = planOf("clients?limit=5&offset=2", { maxRows: 10 });
    assert.equal(plan.answer.isCapped, false);
    assert.equal(parameterised.values[plan.root.limit ?? -1], "5");
    assert.equal(parameterised.values[plan.root.offset ?? -1], "2");
  });

  it("is the same for every request of one shape", () => {
    const one = planOf("clients?select=id,projects!inner(id)&projects.id=in.(1)&name=eq.a&projects.limit=1&limit=3");
    const other = planOf(
      "clients?select=id,projects!inner(id)&projects.id=in.(2,3)&name=eq.b&projects.limit=9&limit=4",
    );
    assert.equal(one.parameterised.key, other.parameterised.key);
    assert.deepEqual(one.plan, other.plan);
    assert.notDeepEqual(one.parameterised.values, other.parameterised.values);
  });
});
