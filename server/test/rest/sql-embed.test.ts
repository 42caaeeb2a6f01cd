import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Embed, Output, Predicate, ReadNode } from "../../src/rest/plan/plan.ts";
import { renderPlan } from "../../src/rest/sql/render-plan.ts";
import { ask, byOwn, column, compare, type Bind, openSqlStage, read, STAR, shown, LIMITS } from "./sql-stage.ts";

const LONG_NAME = "n".repeat(63);

const on = openSqlStage(`
  create table makers (id int primary key, name text, boss_id int references makers);
  create table items (id int primary key, name text, maker_id int references makers, price int);
  create table tags (id int primary key, word text);
  create table item_tags (item_id int references items, tag_id int references tags, primary key (item_id, tag_id));
  create table details (item_id int primary key references items, note text);
  create table items_1 (id int primary key, item_id int references items);
  create table ${LONG_NAME} (id int primary key, up_id int references ${LONG_NAME});
  create view maker_view as select * from makers union all select * from makers;
  insert into makers values (1, 'one', null), (2, 'two', 1), (3, 'three', 1);
  insert into items values (10, 'a', 1, 5), (11, 'b', 1, 7), (12, 'c', 2, 9), (13, 'd', null, 11);
  insert into tags values (1, 'red'), (2, 'big');
  insert into item_tags values (10, 1), (10, 2), (11, 2);
  insert into details values (10, 'note of a');
  insert into items_1 values (1, 10), (2, 10);
  insert into ${LONG_NAME} values (1, null), (2, 1), (3, 1);
  create function rivals(items) returns setof items language sql stable
    as 'select i.* from items i where i.maker_id = $1.maker_id and i.id <> $1.id' set search_path = shop;
  create function maker_of(items) returns setof makers rows 1 language sql stable
    as 'select m.* from makers m where m.id >= $1.maker_id order by m.id' set search_path = shop;
`);

function embedded(name: string, embed: Embed): Output {
  return { kind: "embed", name, embed };
}

function items(parts: (bind: Bind) => Partial<ReadNode>) {
  return on.stage.body(ask((bind) => read("items", { order: [byOwn("id")], outputs: [shown("id")], ...parts(bind) })));
}

function exists(embed: Embed, isNegated = false): Predicate {
  return { kind: "exists", isNegated, embed };
}

const name = { outputs: [shown("name")] };
const id = { outputs: [shown("id")], order: [byOwn("id")] };

describe("embeds", () => {
  it("are one row or null on the side of the foreign key", async () => {
    const rows = await items(() => ({
      outputs: [shown("id"), embedded("maker", on.stage.embed("items", "makers", name, "constraint"))],
    }));
    assert.deepEqual(rows, [
      { id: 10, maker: { name: "one" } },
      { id: 11, maker: { name: "one" } },
      { id: 12, maker: { name: "two" } },
      { id: 13, maker: null },
    ]);
  });

  it("are a list on the other side, with filters, order and window", async () => {
    const rows = await on.stage.body(
      ask((bind) => {
        const node = {
          outputs: [shown("id")],
          where: [compare("price", "gt", bind("4"))],
          order: [byOwn("price", "desc")],
          limit: bind("1"),
        };
        return read("makers", {
          outputs: [shown("id"), embedded("items", on.stage.embed("makers", "items", node))],
          order: [byOwn("id")],
        });
      }),
    );
    assert.deepEqual(rows, [
      { id: 1, items: [{ id: 11 }] },
      { id: 2, items: [{ id: 12 }] },
      { id: 3, items: [] },
    ]);
  });

  it("go through a junction, and nest", async () => {
    const tags = on.stage.embed("items", "tags", { outputs: [STAR], order: [byOwn("id")] });
    const rows = await on.stage.body(
      ask((bind) => {
        const node = { outputs: [shown("id"), embedded("tags", tags)], order: [byOwn("id")] };
        return read("makers", {
          outputs: [embedded("items", on.stage.embed("makers", "items", node))],
          where: [compare("id", "eq", bind("1"))],
        });
      }),
    );
    const [red, big] = [
      { id: 1, word: "red" },
      { id: 2, word: "big" },
    ];
    assert.deepEqual(rows, [
      {
        items: [
          { id: 10, tags: [red, big] },
          { id: 11, tags: [big] },
        ],
      },
    ]);
  });

  it("are one row on both sides of a unique key", async () => {
    const rows = await items((bind) => ({
      outputs: [embedded("details", on.stage.embed("items", "details"))],
      where: [compare("id", "lte", bind("11"))],
    }));
    assert.deepEqual(rows, [{ details: { item_id: 10, note: "note of a" } }, { details: null }]);
  });

  it("come from computed relationships", async () => {
    const rows = await items((bind) => ({
      outputs: [
        embedded("rivals", on.stage.embed("items", "items", id, "rivals")),
        embedded("maker", on.stage.embed("items", "makers", name, "maker_of")),
      ],
      where: [compare("id", "eq", bind("10"))],
    }));
    assert.deepEqual(rows, [{ rivals: [{ id: 11 }], maker: { name: "one" } }]);
  });

  it("refer to the same table under different aliases", async () => {
    const boss = on.stage.embed("makers", "makers", name, "many-to-one");
    const staff = on.stage.embed(
      "makers",
      "makers",
      { outputs: [shown("name"), embedded("boss", boss)], order: [byOwn("id")] },
      "one-to-many",
    );
    const rows = await on.stage.body(
      ask((bind) => read("makers", { outputs: [embedded("staff", staff)], where: [compare("id", "eq", bind("1"))] })),
    );
    assert.deepEqual(rows, [
      {
        staff: [
          { name: "two", boss: { name: "one" } },
          { name: "three", boss: { name: "one" } },
        ],
      },
    ]);
  });

  it("use distinct aliases for similar names", async () => {
    const items1 = on.stage.embed("items", "items_1", id);
    const back = on.stage.embed("items_1", "items", { outputs: [shown("id"), embedded("items_1", items1)] });
    const rows = await on.stage.body(
      ask(() => read("items_1", { outputs: [shown("id"), embedded("item", back)], order: [byOwn("id")] })),
    );
    const item = { id: 10, items_1: [{ id: 1 }, { id: 2 }] };
    assert.deepEqual(rows, [
      { id: 1, item },
      { id: 2, item },
    ]);
    const down = on.stage.embed(LONG_NAME, LONG_NAME, id, "one-to-many");
    const twice = on.stage.embed(LONG_NAME, LONG_NAME, { outputs: [embedded("down", down)] }, "many-to-one");
    const long = await on.stage.body(
      ask((bind) => read(LONG_NAME, { outputs: [embedded("up", twice)], where: [compare("id", "eq", bind("2"))] })),
    );
    assert.deepEqual(long, [{ up: { down: [{ id: 2 }, { id: 3 }] } }]);
  });

  it("are limited to one row for a view with several", async () => {
    const embed = on.stage.embed("items", "makers", name, "constraint");
    const view: Embed = {
      ...embed,
      relationship: { ...embed.relationship, target: { schema: "shop", name: "maker_view" }, isTargetView: true },
    };
    const rows = await items((bind) => ({
      outputs: [embedded("maker", view)],
      where: [compare("id", "eq", bind("10"))],
    }));
    assert.deepEqual(rows, [{ maker: { name: "one" } }]);
  });

  it("filter the parent rows", async () => {
    const tagged = (bind: Bind) => on.stage.embed("items", "tags", { where: [compare("word", "eq", bind("big"))] });
    const ids = async (make: (bind: Bind) => Predicate) =>
      ((await items((bind) => ({ where: [make(bind)] }))) as { id: number }[]).map((row) => row.id);
    assert.deepEqual(await ids((bind) => exists(tagged(bind))), [10, 11]);
    assert.deepEqual(await ids((bind) => exists(tagged(bind), true)), [12, 13]);
    const second = (bind: Bind): Embed => {
      const embed = on.stage.embed("items", "tags");
      return { ...embed, node: { ...embed.node, offset: bind("1") } };
    };
    assert.deepEqual(await ids((bind) => exists(second(bind))), [10]);
  });

  it("order the parent rows", async () => {
    const embed = on.stage.embed("items", "makers", {}, "constraint");
    const rows = await items(() => ({
      order: [
        { by: { kind: "related", embed, value: column("name") }, direction: "desc", nulls: "last" },
        byOwn("id", "desc"),
      ],
    }));
    assert.deepEqual(rows, [{ id: 12 }, { id: 11 }, { id: 10 }, { id: 13 }]);
  });
});

describe("spreads", () => {
  it("add the columns of a to-one embed and keep the order of the window", async () => {
    const maker = on.stage.embed("items", "makers", { outputs: [shown("maker", column("name"))] }, "constraint");
    const rows = await items((bind) => ({
      outputs: [shown("id"), { kind: "spread", embed: maker }],
      order: [byOwn("id", "desc")],
      limit: bind("3"),
      offset: bind("0"),
    }));
    assert.deepEqual(rows, [
      { id: 13, maker: null },
      { id: 12, maker: "two" },
      { id: 11, maker: "one" },
    ]);
  });

  it("nest", async () => {
    const boss = on.stage.embed("makers", "makers", { outputs: [shown("boss", column("name"))] }, "many-to-one");
    const maker = on.stage.embed(
      "items",
      "makers",
      { outputs: [shown("maker", column("name")), { kind: "spread", embed: boss }] },
      "constraint",
    );
    const rows = await items((bind) => ({
      outputs: [shown("id"), { kind: "spread", embed: maker }],
      where: [compare("id", "gte", bind("11"))],
    }));
    assert.deepEqual(rows, [
      { id: 11, maker: "one", boss: null },
      { id: 12, maker: "two", boss: "one" },
      { id: 13, maker: null, boss: null },
    ]);
  });

  it("make a list of each column of a to-many embed, in the same order", async () => {
    const spread = on.stage.embed("makers", "items", {
      outputs: [shown("id"), shown("name"), shown("id", column("price"))],
      order: [byOwn("price", "desc")],
    });
    const { body } = await on.stage.main(
      ask(() =>
        read("makers", {
          outputs: [shown("maker", column("id")), { kind: "spread", embed: spread }],
          order: [byOwn("id")],
        }),
      ),
    );
    assert.equal(
      body?.replaceAll(/\s/g, ""),
      '[{"maker":1,"id":[11,10],"name":["b","a"],"id":[7,5]},{"maker":2,"id":[12],"name":["c"],"id":[9]},{"maker":3,"id":[],"name":[],"id":[]}]',
    );
  });
});

describe("windows around embeds", () => {
  it("evaluate embeds only for rows of the window", () => {
    const outputs = [shown("id"), embedded("tags", on.stage.embed("items", "tags"))];
    const withOffset = ask((bind) =>
      read("items", { outputs, order: [byOwn("price")], limit: bind("1"), offset: bind("2") }),
    );
    const { text } = renderPlan(withOffset.plan, LIMITS).main;
    assert.ok(text.indexOf(`"item_tags`) < text.indexOf("offset"), text);
    assert.match(text, /from \(select "items"\."id","items"\."price" from "shop"\."items" order by/);
  });

  it("pass whole rows to functions", async () => {
    const rows = await items((bind) => ({
      outputs: [shown("id"), embedded("rivals", on.stage.embed("items", "items", id, "rivals"))],
      limit: bind("1"),
      offset: bind("1"),
    }));
    assert.deepEqual(rows, [{ id: 11, rivals: [{ id: 10 }] }]);
  });
});
