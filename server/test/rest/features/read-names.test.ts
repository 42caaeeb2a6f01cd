import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openRestStage } from "./rest-stage.ts";

const LONG = "l".repeat(63);
const OBJECTS = `
create schema "Odd Schema";
grant usage on schema "Odd Schema" to anon, authenticated, service_role;
set search_path to "Odd Schema";
create table "Server Today" (id int primary key, "Just A Model" text, "dash-ed" int, "a.b" int, "(paren,s)" int, ":c->d::e" int, "quo""te" text, "back\\slash" int, "  pad  " int);
insert into "Server Today" values (1, 'IBM,9', 2, 3, 4, 5, 'q', 6, 7);
create table "ünï_表" ("сolumn" int primary key, "😀" text, "server" int references "Server Today");
insert into "ünï_表" values (1, 'x', 1);
create table "select" ("order" int primary key, "limit" int, "and" int, "user" text, "from" int, "offset" int, "select" int, "columns" int);
insert into "select" values (1, 2, 3, 'u', 4, 5, 6, 7);
create table "Camel" ("camelCase" int primary key, "refId" int references "Camel");
insert into "Camel" values (1, null), (2, 1);
create table t (_ int primary key, r int, e int, t int, c1 int, _spread int);
insert into t values (1, 2, 3, 4, 5, 6);
create table _ (id int primary key, t int references t);
insert into _ values (1, 1);
create table "${LONG}" (id int primary key, "${LONG}" int, self int references "${LONG}");
insert into "${LONG}" values (1, 2, 1);
create table being (being int primary key);
create table descendant (descendant int primary key, being int references being);
insert into being values (1); insert into descendant values (1, 1), (2, 1);
grant select on all tables in schema "Odd Schema" to anon, authenticated, service_role;
`;
const opened = openRestStage(OBJECTS, { schemas: ["Odd Schema"] });

async function expectRows(target: string, expected: unknown): Promise<void> {
  const { status, json, text } = await opened.stage.ask(`GET ${target}`);
  assert.equal(status, 200, `${target}: ${text}`);
  assert.deepEqual(json, expected, target);
}

const encode = encodeURIComponent;

describe("names", () => {
  it("may contain blanks, dots, dashes, quotes and characters of the grammar", async () => {
    await expectRows(
      "/Server%20Today?select=Just%20A%20Model,dash-ed&Just%20A%20Model=like.*BM*&order=Just%20A%20Model",
      [{ "Just A Model": "IBM,9", "dash-ed": 2 }],
    );
    const names = ['"a.b"', '"(paren,s)"', '":c->d::e"', '"quo\\"te"', '"back\\\\slash"', '"  pad  "'];
    await expectRows(`/Server%20Today?select=${encode(names.join(","))}`, [
      { "a.b": 3, "(paren,s)": 4, ":c->d::e": 5, 'quo"te': "q", "back\\slash": 6, "  pad  ": 7 },
    ]);
    for (const [name, value] of [
      ['"a.b"', 3],
      ['"(paren,s)"', 4],
      ['":c->d::e"', 5],
      ['"quo\\"te"', "q"],
    ]) {
      await expectRows(`/Server%20Today?select=id&${encode(String(name))}=eq.${value}`, [{ id: 1 }]);
      await expectRows(`/Server%20Today?select=id&or=${encode(`(${name}.eq.${value},id.eq.9)`)}`, [{ id: 1 }]);
      await expectRows(`/Server%20Today?select=id&order=${encode(`${name}.desc`)}`, [{ id: 1 }]);
    }
    await expectRows(`/Server%20Today?select=${encode('"odd: alias":id,"x""y":id')}`.replace("x%22%22y", "xy"), [
      { "odd: alias": 1, xy: 1 },
    ]);
  });

  it("may be of any script", async () => {
    const table = `/${encode("ünï_表")}`;
    await expectRows(
      `${table}?select=${encode("сolumn,😀")}&${encode("😀")}=eq.x`.replaceAll(encode("😀"), encode('"😀"')),
      [{ сolumn: 1, "😀": "x" }],
    );
    await expectRows(`${table}?select=${encode('сolumn,"Server Today"(id)')}`, [
      { сolumn: 1, "Server Today": { id: 1 } },
    ]);
    await expectRows(`/Server%20Today?select=id,${encode("ünï_表(сolumn)")}&${encode("ünï_表.сolumn")}=eq.1`, [
      { id: 1, ünï_表: [{ сolumn: 1 }] },
    ]);
  });

  it("may be words of SQL or of the grammar", async () => {
    await expectRows('/select?select="order","limit","and",user,from,offset,select', [
      { order: 1, limit: 2, and: 3, user: "u", from: 4, offset: 5, select: 6 },
    ]);
    await expectRows("/select?select=order&user=eq.u&from=eq.4&order=order.desc", [{ order: 1 }]);
    await expectRows('/select?select=order&"limit"=eq.2', [{ order: 1 }]);
    await expectRows("/select?select=order&and=(order.eq.1,limit.eq.2)", [{ order: 1 }]);
  });

  it("keep their case", async () => {
    await expectRows("/Camel?select=camelCase,refId(camelCase)&order=camelCase.desc&limit=1", [
      { camelCase: 2, refId: { camelCase: 1 } },
    ]);
    assert.equal((await opened.stage.ask("GET /camel")).status, 404);
  });

  it("never clash with names inside our own statements", async () => {
    await expectRows("/t?select=_,r,e,t,c1,_spread", [{ _: 1, r: 2, e: 3, t: 4, c1: 5, _spread: 6 }]);
    await expectRows("/_?select=id,t(t,_),...t(e)&order=t(e)", [{ id: 1, t: { t: 4, _: 1 }, e: 3 }]);
    await expectRows("/t?select=_,child:_(id)&_=eq.1", [{ _: 1, child: [{ id: 1 }] }]);
    await expectRows("/t?select=c1,count(),_.sum()", [{ c1: 5, count: 1, sum: 1 }]);
    await expectRows("/t?select=t,..._(_:id)&t=eq.4", [{ t: 4, _: [1] }]);
  });

  it("may have the maximum length", async () => {
    await expectRows(`/${LONG}?select=${LONG},self(id,self(${LONG}))`, [
      { [LONG]: 2, self: { id: 1, self: { [LONG]: 2 } } },
    ]);
    const { status, json } = await opened.stage.ask(`GET /${LONG}?select=${LONG}x`);
    assert.equal(status, 400);
    assert.equal((json as { code: string }).code, "PGRST100");
  });

  it("may be shared by a column and its table", () =>
    expectRows("/being?select=*,descendant(*)&descendant.order=descendant", [
      {
        being: 1,
        descendant: [
          { descendant: 1, being: 1 },
          { descendant: 2, being: 1 },
        ],
      },
    ]));

  it("of missing tables are reported with the nearest name", async () => {
    const { status, json } = await opened.stage.ask("GET /beings");
    assert.equal(status, 404);
    const { code, message, hint } = json as { code: string; message: string; hint: string };
    assert.equal(code, "PGRST205");
    assert.equal(message, "Could not find the table 'Odd Schema.beings' in the schema cache");
    assert.equal(hint, "Perhaps you meant the table 'Odd Schema.being'");
  });

  it("cannot be followed by further path segments", async () => {
    const { status, json } = await opened.stage.ask("GET /being/1");
    assert.equal(status, 404);
    assert.equal((json as { code: string }).code, "PGRST125");
  });
});
