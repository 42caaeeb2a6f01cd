import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ParsedRequest, RowsBody } from "../../src/rest/parse/parsed-request.ts";
import { captureParsed } from "./support/capture.ts";
import { arrow, column, embed, field, filter, operation, STAR, textArrow } from "./support/parsing.ts";

function rowsOf({ body }: ParsedRequest): RowsBody {
  assert.equal(body.kind, "rows");
  return body;
}

function typesOf({ accept }: ParsedRequest): string[] {
  return accept.map(({ type }) => type);
}

describe("reads of supabase-js", () => {
  it("select columns and embeds", async () => {
    const parsed = await captureParsed((client) => client.from("t").select("*, a ( * )"));
    assert.deepEqual([parsed.method, parsed.target], ["GET", { kind: "relation", name: "t" }]);
    assert.deepEqual(parsed.query.select, [STAR, embed("a", [STAR])]);
    assert.deepEqual([parsed.schema, parsed.isProfileGiven], ["public", true]);
    assert.deepEqual(typesOf(parsed), ["*/*"]);
  });

  it("select with aliases, casts, paths, hints, joins, spreads and aggregates", async () => {
    const select = 'n:"a b"::text, d->x->>0, ...p!h!inner(q), k:r!left(count()), v.sum()';
    const { query } = await captureParsed((client) => client.from("t").select(select));
    assert.deepEqual(query.select, [
      column("a b", { alias: "n", cast: "text" }),
      column(field("d", arrow("x"), textArrow(0))),
      embed("p", [column("q")], { isSpread: true, hint: "h", join: "inner" }),
      embed("r", [{ kind: "count", alias: null, cast: null }], { alias: "k" }),
      column("v", { aggregate: "sum" }),
    ]);
  });

  it("count without rows", async () => {
    const parsed = await captureParsed((client) => client.from("t").select("*", { count: "exact", head: true }));
    assert.deepEqual([parsed.method, parsed.preferences.count], ["HEAD", "exact"]);
  });

  it("order, limit and range, of the table and of embeds", async () => {
    const { query, range } = await captureParsed((client) =>
      client
        .from("t")
        .select("*,r(*)")
        .order("a", { ascending: false, nullsFirst: false })
        .order("b")
        .order("c", { referencedTable: "r", nullsFirst: true })
        .order("r(d)")
        .range(10, 19)
        .limit(3, { referencedTable: "r" }),
    );
    assert.deepEqual(query.root.order, [
      { relation: null, field: field("a"), direction: "desc", nulls: "last" },
      { relation: null, field: field("b"), direction: "asc", nulls: null },
      { relation: "r", field: field("d"), direction: "asc", nulls: null },
    ]);
    assert.deepEqual([query.root.offset, query.root.limit, range], [10, 10, null]);
    assert.deepEqual(query.embeds, [
      {
        path: ["r"],
        modifiers: {
          conditions: [],
          order: [{ relation: null, field: field("c"), direction: "asc", nulls: "first" }],
          limit: 3,
          offset: null,
        },
      },
    ]);
  });

  it("request one object, stripped nulls, other formats and the plan", async () => {
    const single = await captureParsed((client) => client.from("t").select().single());
    assert.deepEqual(typesOf(single), ["application/vnd.pgrst.object+json"]);
    const maybe = await captureParsed((client) => client.from("t").select().maybeSingle());
    assert.deepEqual(typesOf(maybe), ["*/*"]);
    const stripped = await captureParsed((client) => client.from("t").select().stripNulls());
    assert.deepEqual(stripped.accept, [
      { type: "application/vnd.pgrst.array+json", parameters: { nulls: "stripped" }, quality: 1 },
    ]);
    const csv = await captureParsed((client) => client.from("t").select().csv());
    assert.deepEqual(typesOf(csv), ["text/csv"]);
    const geo = await captureParsed((client) => client.from("t").select().geojson());
    assert.deepEqual(typesOf(geo), ["application/geo+json"]);
    const plan = await captureParsed((client) =>
      client.from("t").select().explain({ analyze: true, wal: true, format: "json" }),
    );
    assert.deepEqual(plan.accept, [
      {
        type: "application/vnd.pgrst.plan+json",
        parameters: { for: "application/json", options: "analyze|wal" },
        quality: 1,
      },
    ]);
  });

  it("select another schema", async () => {
    const read = await captureParsed((client) => client.schema("other").from("t").select());
    assert.deepEqual([read.schema, read.isProfileGiven], ["other", true]);
    const write = await captureParsed((client) => client.schema("other").from("t").insert({ a: 1 }));
    assert.deepEqual([write.schema, write.isProfileGiven], ["other", true]);
  });
});

describe("writes of supabase-js", () => {
  it("insert one row", async () => {
    const parsed = await captureParsed((client) => client.from("t").insert({ a: 1 }));
    assert.deepEqual([parsed.method, parsed.preferences.return, parsed.query.columns], ["POST", null, null]);
    assert.deepEqual(rowsOf(parsed).rows, [{ a: 1 }]);
  });

  it("insert rows with the union of their keys", async () => {
    const parsed = await captureParsed((client) =>
      client.from("t").insert([{ a: 1 }, { "b c": 2 }], { defaultToNull: false, count: "exact" }),
    );
    assert.deepEqual(parsed.query.columns, ["a", "b c"]);
    assert.deepEqual([parsed.preferences.missing, parsed.preferences.count], ["default", "exact"]);
    assert.deepEqual(rowsOf(parsed).rows, [{ a: 1 }, { "b c": 2 }]);
  });

  it("insert no rows", async () => {
    const parsed = await captureParsed((client) => client.from("t").insert([]));
    assert.deepEqual([rowsOf(parsed).rows, parsed.query.columns], [[], null]);
  });

  it("upsert, merging or ignoring duplicates", async () => {
    const merging = await captureParsed((client) => client.from("t").upsert({ x: 1, y: 2 }, { onConflict: "x,y" }));
    assert.deepEqual(merging.query.onConflict, ["x", "y"]);
    assert.equal(merging.preferences.resolution, "merge-duplicates");
    const ignoring = await captureParsed((client) => client.from("t").upsert([{ x: 1 }], { ignoreDuplicates: true }));
    assert.deepEqual([ignoring.preferences.resolution, ignoring.query.onConflict], ["ignore-duplicates", null]);
  });

  it("update and request the rows", async () => {
    const parsed = await captureParsed((client) => client.from("t").update({ a: 2 }).eq("id", 1).select("a").single());
    assert.deepEqual([parsed.method, parsed.preferences.return], ["PATCH", "representation"]);
    assert.deepEqual(parsed.query.select, [column("a")]);
    assert.deepEqual(parsed.query.root.conditions, [filter("id", operation("eq", "1"))]);
  });

  it("delete with max-affected and with a rollback", async () => {
    const parsed = await captureParsed((client) => {
      // The type of the method depends on a version that only generated types know.
      const deletion: { maxAffected(count: number): unknown } = client.from("t").delete().eq("id", 1).rollback();
      return deletion.maxAffected(2) as PromiseLike<unknown>;
    });
    assert.deepEqual([parsed.method, parsed.body], ["DELETE", { kind: "none" }]);
    const { handling, maxAffected, tx, unknown } = parsed.preferences;
    assert.deepEqual([handling, maxAffected, tx, unknown], ["strict", 2, "rollback", []]);
  });
});

describe("function calls of supabase-js", () => {
  it("send arguments in a body", async () => {
    const parsed = await captureParsed((client) =>
      client
        .rpc("f", { a: 1, b: [1, 2] })
        .eq("c", 3)
        .limit(1),
    );
    assert.deepEqual([parsed.method, parsed.target], ["POST", { kind: "rpc", name: "f" }]);
    assert.deepEqual(rowsOf(parsed).rows, [{ a: 1, b: [1, 2] }]);
    assert.deepEqual(parsed.query.root.conditions, [filter("c", operation("eq", "3"))]);
    assert.equal(parsed.query.root.limit, 1);
  });

  it("send none", async () => {
    assert.deepEqual(rowsOf(await captureParsed((client) => client.rpc("f"))).rows, [{}]);
  });

  it("send arguments in the query", async () => {
    const parsed = await captureParsed((client) => client.rpc("f", { a: 1, b: [1, 2] }, { get: true }).gt("c", 3));
    assert.equal(parsed.method, "GET");
    const condition = filter("c", operation("gt", "3"));
    assert.deepEqual(parsed.query.args, [
      { pair: ["a", "1"], filter: null },
      { pair: ["b", "{1,2}"], filter: null },
      { pair: ["c", "gt.3"], filter: condition },
    ]);
    assert.deepEqual(parsed.query.root.conditions, [condition]);
  });

  it("request no rows", async () => {
    const head = await captureParsed((client) => client.rpc("f", { a: 1 }, { head: true, count: "exact" }));
    assert.deepEqual([head.method, head.preferences.count], ["HEAD", "exact"]);
    const post = await captureParsed((client) => client.rpc("f", { a: { b: 1 } }, { head: true }));
    assert.deepEqual([post.method, post.preferences.return], ["POST", "minimal"]);
  });
});
