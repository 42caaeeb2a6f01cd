import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { expectRead, READABLE, reject, SHOP } from "./read-shop.ts";
import { openRestStage } from "./rest-stage.ts";

const SALES = `
create table shop.sales (
  id int primary key, region text, client_id int references shop.clients, amount numeric, units int, info jsonb, note json
);
insert into shop.sales values
  (1, 'north', 1, 10.5, 1, '{"tag":"a","n":"3"}', '{"k":1}'), (2, 'north', 2, 20, 2, '{"tag":"b","n":"4"}', '{"k":1}'),
  (3, 'south', 1, 30, null, '{"tag":"a","n":"5"}', '{"k":2}'), (4, null, null, 5, 5, null, null);
create table shop.counted (id int primary key, count int);
insert into shop.counted values (1, 7);
`;
const opened = openRestStage(SHOP + SALES + READABLE, { schemas: ["shop"] });
const expectRows = (target: string, expected: unknown): Promise<void> => expectRead(opened.stage, target, expected);

describe("aggregates", () => {
  it("apply to all rows and are named by the function", () =>
    expectRows("/sales?select=count(),amount.sum(),amount.avg()::int,units.max(),units.min()", [
      { count: 4, sum: 65.5, avg: 16, max: 5, min: 1 },
    ]));

  it("count rows, or values that are not null", () =>
    expectRows("/sales?select=rows:count(),known:units.count()", [{ rows: 4, known: 3 }]));

  it("accept aliases, and casts before and after", async () => {
    await expectRows("/sales?select=total:amount.sum()::text", [{ total: "65.5" }]);
    await expectRows("/sales?select=total:info->>n::int.sum()", [{ total: 12 }]);
    await expectRows("/sales?select=count()::text", [{ count: "4" }]);
  });

  it("include only rows that match the filters", () =>
    expectRows("/sales?select=amount.sum()&region=eq.north", [{ sum: 30.5 }]));

  it("are grouped by all other selected columns", async () => {
    await expectRows("/sales?select=region,amount.sum(),count()&order=region", [
      { region: "north", sum: 30.5, count: 2 },
      { region: "south", sum: 30, count: 1 },
      { region: null, sum: 5, count: 1 },
    ]);
    await expectRows("/sales?select=where:region,client_id,count()&order=region.desc.nullslast,client_id", [
      { where: "south", client_id: 1, count: 1 },
      { where: "north", client_id: 1, count: 1 },
      { where: "north", client_id: 2, count: 1 },
      { where: null, client_id: null, count: 1 },
    ]);
    await expectRows("/sales?select=info->>tag,amount.sum()&order=info->>tag", [
      { tag: "a", sum: 40.5 },
      { tag: "b", sum: 20 },
      { tag: null, sum: 5 },
    ]);
    await expectRows("/sales?select=note,count()&order=count.desc&limit=1", [{ note: { k: 1 }, count: 2 }]);
  });

  it("are grouped by an embed", () =>
    expectRows("/sales?select=client_id,amount.sum(),clients(name)&order=client_id", [
      { client_id: 1, sum: 40.5, clients: { name: "Acme" } },
      { client_id: 2, sum: 20, clients: { name: "Bolt" } },
      { client_id: null, sum: 5, clients: null },
    ]));

  it("are ordered by an embedded column", async () => {
    const expected = [
      { sum: 20, clients: { name: "Bolt" } },
      { sum: 40.5, clients: { name: "Acme" } },
      { sum: 5, clients: null },
    ];
    await expectRows("/sales?select=amount.sum(),clients(name)&order=clients(name).desc.nullslast", expected);
    await expectRows("/sales?select=count(),clients(*)&order=clients(name).desc.nullslast&limit=1", [
      { count: 1, clients: { id: 2, name: "Bolt" } },
    ]);
  });

  it("order and window the groups, also by the aggregate itself", async () => {
    await expectRows("/sales?select=region,amount.sum()&order=sum.desc&limit=1&offset=1", [
      { region: "south", sum: 30 },
    ]);
    await expectRows("/sales?select=region,total:amount.sum()&order=total", [
      { region: null, total: 5 },
      { region: "south", total: 30 },
      { region: "north", total: 30.5 },
    ]);
  });

  it("count groups, not rows, in the total", async () => {
    const { status, headers } = await opened.stage.ask("GET /sales?select=region,count()&limit=1", {
      headers: { prefer: "count=exact" },
    });
    assert.deepEqual([status, headers["content-range"]], [206, "0-0/3"]);
  });

  it("apply to embedded rows, for each row", async () => {
    await expectRows("/clients?select=name,sales(amount.sum(),count())&order=id", [
      { name: "Acme", sales: [{ sum: 40.5, count: 2 }] },
      { name: "Bolt", sales: [{ sum: 20, count: 1 }] },
      { name: "Cask", sales: [{ sum: null, count: 0 }] },
    ]);
    await expectRows("/clients?select=name,sales(region,count())&order=id&sales.order=region", [
      {
        name: "Acme",
        sales: [
          { region: "north", count: 1 },
          { region: "south", count: 1 },
        ],
      },
      { name: "Bolt", sales: [{ region: "north", count: 1 }] },
      { name: "Cask", sales: [] },
    ]);
    await expectRows("/clients?select=name,sales(count())&sales.amount=gt.15&order=id", [
      { name: "Acme", sales: [{ count: 1 }] },
      { name: "Bolt", sales: [{ count: 1 }] },
      { name: "Cask", sales: [{ count: 0 }] },
    ]);
  });

  it("count without parentheses too, as older clients write it", async () => {
    await expectRows("/sales?select=count", [{ count: 4 }]);
    await expectRows("/clients?select=name,sales(count)&order=id", [
      { name: "Acme", sales: [{ count: 2 }] },
      { name: "Bolt", sales: [{ count: 1 }] },
      { name: "Cask", sales: [{ count: 0 }] },
    ]);
    await expectRows("/clients?select=name,n:sales(count)&id=eq.1&n.region=eq.north", [
      { name: "Acme", n: [{ count: 1 }] },
    ]);
    await expectRows("/sales?select=region,many:count&order=region", [
      { region: "north", many: 2 },
      { region: "south", many: 1 },
      { region: null, many: 1 },
    ]);
  });

  it("do not replace a column named count", async () => {
    await expectRows("/counted?select=id,count", [{ id: 1, count: 7 }]);
    await expectRows("/counted?select=count.sum()", [{ sum: 7 }]);
  });

  it("of a spread row apply to the parent rows", async () => {
    await expectRows("/sales?select=...clients(name,count())&order=clients(name)", [
      { name: "Acme", count: 2 },
      { name: "Bolt", count: 1 },
      { name: null, count: 0 },
    ]);
    await expectRows("/sales?select=amount.sum(),...clients(client:name)&order=clients(name).desc.nullslast", [
      { sum: 20, client: "Bolt" },
      { sum: 40.5, client: "Acme" },
      { sum: 5, client: null },
    ]);
    await expectRows(
      "/sales?select=amount.sum(),...clients(client:name)&order=clients(client).desc.nullslast&limit=1",
      [{ sum: 20, client: "Bolt" }],
    );
    await expectRows("/tasks?select=...projects(...clients(client:name),budget:id.max())&order=budget.nullslast", [
      { client: "Acme", budget: 2 },
      { client: "Bolt", budget: 3 },
      { client: null, budget: null },
    ]);
  });

  it("are rejected with the database's message where they are invalid", async () => {
    const rejection = await reject(opened.stage, "/sales?select=region.sum()");
    assert.deepEqual([rejection.status, rejection.code], [404, "42883"]);
    for (const [order, column] of [
      ["amount", "sales.amount"],
      ["clients(name)", "clients.name"],
    ]) {
      const ordered = await reject(opened.stage, `/sales?select=region,count(),clients(id)&order=${order}`);
      assert.deepEqual([ordered.status, ordered.code], [400, "42803"]);
      assert.match(ordered.message, new RegExp(`^column "${column}" must appear in the GROUP BY clause`));
    }
    assert.equal((await reject(opened.stage, "/sales?select=count()&order=nothing")).code, "42703");
    assert.equal((await reject(opened.stage, "/sales?select=amount.median()")).code, "PGRST100");
  });
});
