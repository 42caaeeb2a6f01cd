import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RequestInput } from "../../src/rest/parse/parse-request.ts";
import { parameteriseRequest } from "../../src/rest/plan/parameterise-request.ts";
import type { Write, WritePlan } from "../../src/rest/plan/plan.ts";
import { planWrite } from "../../src/rest/plan/plan-write.ts";
import { negotiate } from "../../src/rest/plan/negotiate.ts";
import { parse, rejectionOf } from "./support/parsing.ts";
import { catalogueOf, table } from "./support/entry-catalogue.ts";

const things = table("things", { id: "integer", name: "text", owner_id: "integer", __proto__x: "text" }, ["id"]);
const pairs = table("pairs", { left: "integer", right: "text", note: "text" }, ["left", "right"]);
const notes = table("notes", { text: "text" });
const owners = table("owners", { id: "integer", name: "text" }, ["id"]);
const strange = {
  ...table("strange", { id: "integer" }, ["id"]),
  columns: new Map([...things.columns, ["__proto__", { ...column(), name: "__proto__" }]]),
};

function column() {
  const found = things.columns.get("name");
  assert.ok(found);
  return found;
}

const catalogue = catalogueOf({
  relations: [things, pairs, notes, owners, strange],
  relationships: [
    {
      constraint: "things_owner_id_fkey",
      from: things,
      target: owners,
      columns: [["owner_id", "id"]],
      isOneToOne: false,
      isFromView: false,
      isTargetView: false,
    },
  ],
});

interface Planned extends WritePlan {
  readonly values: readonly (string | null)[];
}

function plan(method: string, path: string, body: unknown, input: Partial<RequestInput> = {}): Planned {
  const [pathname = "", search = ""] = path.split("?");
  const bytes = body === undefined ? null : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const request = parse({ method, path: pathname, search, body: bytes, ...input });
  const media = negotiate(request, { isPlanEnabled: false, functionResult: null });
  const parameterised = parameteriseRequest(request, media, { maxRows: null });
  const target = { schema: request.schema, name: pathname.slice(1) };
  return { ...planWrite(request, target, { catalogue, media, ...parameterised }), values: parameterised.values };
}

function prefer(...preferences: readonly string[]): Partial<RequestInput> {
  return { headers: { prefer: preferences.join(", ") } };
}

function insertOf({ write }: WritePlan): Extract<Write, { kind: "insert" }> {
  assert.ok(write.kind === "insert");
  return write;
}

function updateOf({ write }: WritePlan): Extract<Write, { kind: "update" }> {
  assert.ok(write.kind === "update");
  return write;
}

function columnNames(write: { readonly rows: { readonly columns: readonly { readonly name: string }[] } }): string[] {
  return write.rows.columns.map(({ name }) => name);
}

describe("plan of an insert", () => {
  it("takes only the keys of the body as columns", () => {
    const planned = plan("POST", "/things", { id: 1, name: "a" });
    const write = insertOf(planned);
    assert.deepEqual(write.relation, { schema: "public", name: "things" });
    assert.deepEqual(columnNames(write), ["id", "name"]);
    assert.equal(write.rows.isArray, false);
    assert.equal(write.rows.shouldDefault, false);
    assert.equal(planned.values[write.rows.text], '{"id":1,"name":"a"}');
    assert.deepEqual([write.conflict, write.location, write.putKey, planned.shown], [null, null, null, null]);
    assert.deepEqual(planned.answer.body, { kind: "none" });
  });

  it("takes `columns` instead, each of them once", () => {
    const write = insertOf(plan("POST", '/things?columns="name",name,id', [{ name: "a", x: 1 }, {}]));
    assert.deepEqual(columnNames(write), ["name", "id"]);
    assert.equal(write.rows.isArray, true);
  });

  it("plans rows of defaults, and no rows", () => {
    assert.deepEqual(columnNames(insertOf(plan("POST", "/things", {}))), []);
    const none = insertOf(plan("POST", "/things", []));
    assert.deepEqual([columnNames(none), none.rows.isArray], [[], true]);
  });

  it("rejects a key that is not a column", () => {
    for (const [path, body] of [
      ["/things", { id: 1, nmae: "a" }],
      ["/things?columns=id,nmae", { id: 1 }],
    ] as const) {
      const { code, status, message } = rejectionOf(() => plan("POST", path, body));
      assert.deepEqual([code, status], ["PGRST204", 400]);
      assert.equal(message, "Could not find the 'nmae' column of 'things' in the schema cache");
    }
  });

  it("treats keys such as __proto__ as ordinary names", () => {
    for (const key of ["__proto__", "constructor", "toString"]) {
      assert.equal(rejectionOf(() => plan("POST", "/things", `{"${key}":1}`)).code, "PGRST204");
    }
    assert.deepEqual(columnNames(insertOf(plan("POST", "/strange", '{"__proto__":"a"}'))), ["__proto__"]);
  });

  it("finds only tables of the schema", () => {
    const { code, status } = rejectionOf(() => plan("POST", "/thinks", {}));
    assert.deepEqual([code, status], ["PGRST205", 404]);
  });

  it("uses defaults with missing=default", () => {
    assert.equal(insertOf(plan("POST", "/things", {}, prefer("missing=default"))).rows.shouldDefault, true);
    assert.equal(insertOf(plan("POST", "/things", {}, prefer("missing=null"))).rows.shouldDefault, false);
  });

  it("contains the location only with return=headers-only and a primary key", () => {
    assert.deepEqual(insertOf(plan("POST", "/pairs", {}, prefer("return=headers-only"))).location, ["left", "right"]);
    assert.equal(insertOf(plan("POST", "/notes", {}, prefer("return=headers-only"))).location, null);
    assert.equal(insertOf(plan("POST", "/pairs", {}, prefer("return=representation"))).location, null);
  });
});

describe("plan of an upsert", () => {
  it("detects duplicates by the primary key or the given columns", () => {
    const conflict = (path: string, preference: string) =>
      insertOf(plan("POST", path, {}, prefer(preference))).conflict;
    assert.deepEqual(conflict("/pairs", "resolution=merge-duplicates"), {
      columns: ["left", "right"],
      resolution: "merge",
    });
    assert.deepEqual(conflict("/pairs?on_conflict=note", "resolution=ignore-duplicates"), {
      columns: ["note"],
      resolution: "ignore",
    });
  });

  it("is a plain insert without a preference or without a key", () => {
    assert.equal(insertOf(plan("POST", "/things?on_conflict=name", {})).conflict, null);
    assert.equal(insertOf(plan("POST", "/notes", {}, prefer("resolution=merge-duplicates"))).conflict, null);
  });
});

describe("plan of a PUT", () => {
  it("merges the one row and compares its key with the filters", () => {
    const planned = plan("PUT", "/pairs?right=eq.b&left=eq.1", { left: 1, right: "b", note: "c" });
    const write = insertOf(planned);
    assert.deepEqual(write.conflict, { columns: ["left", "right"], resolution: "merge" });
    const key = write.putKey?.map(({ column: { name }, value }) => [name, planned.values[value]]);
    assert.deepEqual(key, [
      ["right", "b"],
      ["left", "1"],
    ]);
    assert.equal(planned.answer.mustBeSingle, true);
    assert.equal(write.location, null);
  });

  it("rejects all filters but equality on all of the primary key", () => {
    for (const path of [
      "/pairs",
      "/pairs?left=eq.1",
      "/pairs?left=eq.1&right=eq.b&note=eq.c",
      "/pairs?left=eq.1&right=neq.b",
      "/pairs?left=eq.1&right=not.eq.b",
      "/pairs?left=eq.1&right=eq(any).{b}",
      "/pairs?left=eq.1&right->a=eq.b",
      "/pairs?left=eq.1&right=eq.b&or=(note.eq.a,note.eq.b)",
      "/notes",
      "/notes?text=eq.a",
    ]) {
      const { code, status } = rejectionOf(() => plan("PUT", path, { left: 1, right: "b" }));
      assert.deepEqual([code, status], ["PGRST105", 405], path);
    }
  });

  it("ignores missing=default", () => {
    const planned = plan("PUT", "/things?id=eq.1", { id: 1 }, prefer("missing=default"));
    assert.equal(insertOf(planned).rows.shouldDefault, false);
  });
});

describe("plan of an update", () => {
  it("updates the rows that match the filters", () => {
    const planned = plan("PATCH", "/things?id=eq.1&or=(name.eq.a,name.is.null)", { name: "b" });
    const write = updateOf(planned);
    assert.deepEqual(columnNames(write), ["name"]);
    assert.equal(write.matchOn, null);
    assert.deepEqual(
      write.where.map(({ kind }) => kind),
      ["compare", "logic"],
    );
  });

  it("changes nothing without columns", () => {
    for (const body of [{}, [], 5]) assert.deepEqual(columnNames(updateOf(plan("PATCH", "/things?id=eq.1", body))), []);
  });

  it("is rejected without a filter", () => {
    const { code, status, message } = rejectionOf(() => plan("PATCH", "/things?limit=1", { name: "b" }));
    assert.deepEqual([code, status, message], ["21000", 400, "UPDATE requires a WHERE clause"]);
    assert.equal(
      rejectionOf(() => plan("PATCH", "/things?owners.id=eq.1&select=owners()", { name: "b" })).code,
      "21000",
    );
  });

  it("finds the rows of a list by the primary key, without filters", () => {
    const write = updateOf(plan("PATCH", "/things", [{ name: "a", id: 1 }]));
    assert.deepEqual(columnNames(write), ["id", "name"]);
    assert.deepEqual(write.matchOn, ["id"]);
    assert.deepEqual(write.where, []);
    assert.equal(updateOf(plan("PATCH", "/things?owner_id=eq.7", [{ id: 1 }])).where.length, 1);
    const chosen = updateOf(plan("PATCH", "/things?columns=name", [{ id: 1, name: "a" }, { id: 2 }]));
    assert.deepEqual(columnNames(chosen), ["id", "name"]);
  });

  it("rejects a list for a table without a primary key", () => {
    const { code, message } = rejectionOf(() => plan("PATCH", "/notes", [{ text: "a" }]));
    assert.equal(code, "PGRST102");
    assert.match(message, /'notes' has no primary key/);
  });
});

describe("plan of a delete", () => {
  it("deletes the rows that match the filters", () => {
    const { write } = plan("DELETE", "/things?id=in.(1,2)", undefined);
    assert.ok(write.kind === "delete");
    assert.deepEqual(
      write.where.map((predicate) => predicate.kind === "compare" && predicate.operator),
      ["in"],
    );
  });

  it("is rejected without a filter", () => {
    const { code, message } = rejectionOf(() => plan("DELETE", "/things", undefined));
    assert.deepEqual([code, message], ["21000", "DELETE requires a WHERE clause"]);
  });

  it("rejects a filter on a relation that is not embedded", () => {
    assert.equal(rejectionOf(() => plan("DELETE", "/things?id=eq.1&owners.id=eq.2", undefined)).code, "PGRST108");
  });
});

describe("the rows that a write returns", () => {
  it("are none unless requested", () => {
    for (const how of ["return=minimal", "return=headers-only"]) {
      const { shown, answer } = plan("PATCH", "/things?id=eq.1", { name: "b" }, prefer(how));
      assert.deepEqual([shown, answer.body], [null, { kind: "none" }]);
    }
  });

  it("have embeds and order, without the filters and the window of the write", () => {
    const { shown, answer } = plan(
      "PATCH",
      "/things?id=gt.1&select=id,owners(name)&order=name.desc&limit=1&owners.name=eq.a",
      { name: "b" },
      prefer("return=representation", "count=estimated"),
    );
    assert.ok(shown !== null);
    assert.deepEqual(shown.source, { kind: "written" });
    assert.deepEqual([shown.where, shown.limit, shown.offset], [[], null, null]);
    assert.equal(shown.order.length, 1);
    assert.deepEqual(
      shown.outputs.map(({ kind }) => kind),
      ["value", "embed"],
    );
    assert.deepEqual(answer.body, { kind: "array", hasNulls: true });
    assert.equal(answer.count, "exact");
  });

  it("must be one for a single object, even when not returned", () => {
    const accept = "application/vnd.pgrst.object+json";
    const silent = plan("PATCH", "/things?id=eq.1", { name: "b" }, { headers: { accept } });
    assert.deepEqual([silent.answer.mustBeSingle, silent.answer.body.kind], [true, "none"]);
    const headers = { accept, prefer: "return=representation" };
    const single = plan("POST", "/things", { name: "b" }, { headers });
    assert.deepEqual([single.answer.mustBeSingle, single.answer.body.kind], [true, "object"]);
    assert.equal(plan("POST", "/things", {}).answer.mustBeSingle, false);
  });

  it("are counted exactly", () => {
    assert.equal(plan("POST", "/things", {}, prefer("count=planned")).answer.count, null);
    assert.equal(plan("POST", "/things", {}, prefer("count=exact")).answer.count, "exact");
  });

  it("are bounded only with strict handling, for updates and deletes", () => {
    const bounded = plan("DELETE", "/things?id=gt.1", undefined, prefer("handling=strict", "max-affected=7"));
    assert.ok(bounded.answer.maxAffected !== null);
    assert.equal(bounded.values[bounded.answer.maxAffected], "7");
    const lenient = plan("DELETE", "/things?id=gt.1", undefined, prefer("max-affected=7"));
    assert.equal(lenient.answer.maxAffected, null);
    assert.equal(plan("POST", "/things", {}, prefer("handling=strict", "max-affected=7")).answer.maxAffected, null);
  });
});
