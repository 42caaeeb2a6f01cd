import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ANON, openRestStage } from "./rest-stage.ts";

const OBJECTS = `
create schema shop;
grant usage on schema shop to anon, authenticated, service_role;
create table shop.owners (id int primary key, name text, phone text);
create table shop.pets (id int primary key, name text, chip text, owner_id int references shop.owners, is_public boolean);
insert into shop.owners values (1, 'Ann', '1'), (2, 'Bob', '2');
insert into shop.pets values (1, 'Rex', 'x', 1, true), (2, 'Tom', 'y', 1, false), (3, 'Kit', 'z', 2, false), (4, 'Sam', 's', null, true);
alter table shop.pets enable row level security;
create policy pets_public on shop.pets for select to anon using (is_public);
create view shop.pets_as_caller with (security_invoker) as select id, name, owner_id from shop.pets;
grant select on shop.owners, shop.pets to service_role;
grant select (id, name) on shop.owners to anon;
grant select (id, name, owner_id, is_public) on shop.pets to anon;
grant select on shop.pets_as_caller to anon;
create table shop.closed (id int primary key, owner_id int references shop.owners);
`;
const opened = openRestStage(OBJECTS, { schemas: ["shop"] });

async function expectRows(target: string, expected: unknown): Promise<void> {
  const { status, json, text } = await opened.stage.ask(`GET ${target}`, { as: ANON });
  assert.equal(status, 200, `${target}: ${text}`);
  assert.deepEqual(json, expected, target);
}

describe("privileges of reads", () => {
  it("on some columns suffice for a request that uses only these", async () => {
    await expectRows("/owners?select=id,name&order=id", [
      { id: 1, name: "Ann" },
      { id: 2, name: "Bob" },
    ]);
    await expectRows("/owners?select=name&order=id&limit=1&offset=1", [{ name: "Bob" }]);
    await expectRows("/owners?select=count()", [{ count: 2 }]);
    await expectRows("/owners?select=name,pets(name)&order=id&offset=1", [{ name: "Bob", pets: [] }]);
    await expectRows("/pets?select=name,...owners(owner:name)&order=id&limit=1", [{ name: "Rex", owner: "Ann" }]);
    const counted = await opened.stage.ask("HEAD /owners?select=id", { as: ANON, headers: { prefer: "count=exact" } });
    assert.equal(counted.headers["content-range"], "0-1/2");
  });

  it("on a column are required to select it, filter by it, or order by it", async () => {
    for (const query of [
      "",
      "?select=phone",
      "?select=id&phone=eq.1",
      "?select=id&order=phone",
      "?select=phone.max()",
    ]) {
      const { status, json } = await opened.stage.ask(`GET /owners${query}`, { as: ANON });
      assert.equal(status, 401, query);
      assert.equal((json as { message: string }).message, "permission denied for table owners", query);
    }
    assert.equal((await opened.stage.ask("GET /owners?select=id,closed(id)", { as: ANON })).status, 401);
  });

  it("on rows apply to embeds, spreads, counts and presence filters", async () => {
    await expectRows("/pets?select=id&order=id", [{ id: 1 }, { id: 4 }]);
    await expectRows("/owners?select=id,pets(id)&order=id", [
      { id: 1, pets: [{ id: 1 }] },
      { id: 2, pets: [] },
    ]);
    await expectRows("/owners?select=id,...pets(pets:id)&order=id", [
      { id: 1, pets: [1] },
      { id: 2, pets: [] },
    ]);
    await expectRows("/owners?select=id,pets!inner()", [{ id: 1 }]);
    await expectRows("/owners?select=id,pets()&pets=is.null", [{ id: 2 }]);
    await expectRows("/owners?select=id,pets(count)&order=id", [
      { id: 1, pets: [{ count: 1 }] },
      { id: 2, pets: [{ count: 0 }] },
    ]);
    await expectRows("/pets_as_caller?select=id,owners(name)&order=id", [
      { id: 1, owners: { name: "Ann" } },
      { id: 4, owners: null },
    ]);
    const counted = await opened.stage.ask("GET /pets?select=id&limit=1", {
      as: ANON,
      headers: { prefer: "count=exact" },
    });
    assert.deepEqual([counted.status, counted.headers["content-range"]], [206, "0-0/2"]);
  });
});
