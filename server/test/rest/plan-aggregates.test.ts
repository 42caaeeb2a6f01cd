import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type NodeOutline, outlineOf, rejectionOf } from "./support/planning.ts";

type Case = readonly [url: string, node: NodeOutline];

const AGGREGATES: readonly Case[] = [
  ["projects?select=count()", { outputs: ["count = count()"], isAggregated: true }],
  ["projects?select=n:count()::int", { outputs: ["n = count()::int"], isAggregated: true }],
  [
    "projects?select=client_id,budget.sum(),m:budget::int.avg()::text,data->>a.max()",
    {
      outputs: ["client_id = client_id", "sum = sum(budget)", "m = avg(budget::int)::text", "max = max(data->>a)"],
      isAggregated: true,
    },
  ],
  ["clients?select=*,id.count()", { outputs: ["id = id", "name = name", "count = count(id)"], isAggregated: true }],
  [
    "clients?select=name,projects(budget.sum())",
    {
      outputs: ["name = name", { "projects = many projects": { outputs: ["sum = sum(budget)"], isAggregated: true } }],
    },
  ],
  [
    "projects?select=budget.sum(),clients(name)",
    {
      outputs: ["sum = sum(budget)", { "clients = one clients": { outputs: ["name = name"] } }],
      isAggregated: true,
    },
  ],
];

const ORDERS: readonly (readonly [url: string, ...order: string[]])[] = [
  ["projects?select=client_id,budget.sum()&order=sum.desc,client_id", "key sum desc", "client_id"],
  ["projects?select=c:client_id,n:count()&order=n,c", "key n", "key c"],
  ["projects?select=budget::int,count()&order=budget", "key budget"],
  ["projects?select=a:data->>a,count()&order=data->>a", "data->>a"],
  ["projects?select=id:name,name:id,count()&order=name", "name"],
  ["tasks?select=...projects(name,total:budget.sum())&order=total,name", "key total", "key name"],
  ["projects?select=client_id&order=sum", "sum?"],
  ["projects?select=c:client_id&order=c", "c?"],
  ["projects?select=client_id,count()&order=nothing", "nothing?"],
];

const UNGROUPED: readonly (readonly [url: string, column: string])[] = [
  ["projects?select=client_id,count()&order=budget", "projects.budget"],
  ["projects?select=count(),clients(id)&order=clients(name)", "clients.name"],
  ["projects?select=count(),...clients(id)&order=clients(name)", "clients.name"],
];

const SPREADS: readonly Case[] = [
  [
    "projects?select=id,...clients(client:name)",
    { outputs: ["id = id", { "...one clients": { outputs: ["client = name"] } }] },
  ],
  ["projects?select=id,...clients(*)", { outputs: [{ "...one clients": { outputs: ["id = id", "name = name"] } }] }],
  ["projects?select=...clients(*,name:id)", { outputs: [{ "...one clients": { outputs: ["id = id", "name = id"] } }] }],
  [
    "clients?select=...projects(name,...tasks(title))&projects.order=id&projects.limit=2",
    {
      outputs: [
        {
          "...many projects": {
            outputs: ["name = name", { "...many tasks": { outputs: ["title = title"] } }],
            order: ["id"],
            limit: "2",
          },
        },
      ],
    },
  ],
  [
    "projects?select=...clients!inner(name)",
    { outputs: [{ "...one clients": { outputs: ["name = name"] } }], where: ["exists one clients()"] },
  ],
  [
    "tasks?select=title,...projects(budget.sum(),...clients(count()))",
    {
      outputs: [
        "title = title",
        {
          "...one projects": {
            outputs: ["sum = sum(budget)", { "...one clients": { outputs: ["count = count()"], isAggregated: true } }],
            isAggregated: true,
          },
        },
      ],
      isAggregated: true,
    },
  ],
];

const REJECTED_SPREADS = ["clients?select=...projects(budget.sum())", "projects?select=...tasks(...projects(count()))"];

describe("planning aggregates", () => {
  for (const [url, node] of AGGREGATES) it(url, () => assert.deepEqual(outlineOf(url), node));
});

describe("planning the order of groups", () => {
  for (const [url, ...order] of ORDERS) it(url, () => assert.deepEqual(outlineOf(url).order, order));

  for (const [url, column] of UNGROUPED) {
    it(`rejects ${url}`, () => {
      const { code, status, message } = rejectionOf(() => outlineOf(url));
      assert.deepEqual([code, status], ["42803", 400]);
      assert.match(message, new RegExp(`^column "${column}" must appear in the GROUP BY clause`));
    });
  }
});

describe("planning spreads", () => {
  for (const [url, node] of SPREADS) it(url, () => assert.deepEqual(outlineOf(url), node));

  for (const url of REJECTED_SPREADS) {
    it(`rejects ${url}`, () => {
      assert.deepEqual(
        rejectionOf(() => outlineOf(url)),
        {
          code: "PGRST127",
          status: 400,
          message: "Feature not implemented",
          details: "Aggregates are not implemented for one-to-many or many-to-many spreads.",
          hint: null,
        },
      );
    });
  }
});
