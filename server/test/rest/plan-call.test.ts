import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FunctionResult } from "../../src/rest/catalogue/catalogue.ts";
import type { RequestInput } from "../../src/rest/parse/parse-request.ts";
import { settleCall } from "../../src/rest/plan/settle-call.ts";
import { findFunction } from "../../src/rest/plan/find-function.ts";
import { parameteriseRequest } from "../../src/rest/plan/parameterise-request.ts";
import type { CallPlan } from "../../src/rest/plan/plan.ts";
import { planCall } from "../../src/rest/plan/plan-call.ts";
import { negotiate } from "../../src/rest/plan/negotiate.ts";
import { catalogueOf, column, fn, table, type } from "./support/entry-catalogue.ts";
import { parse, rejectionOf } from "./support/parsing.ts";

const things = table("things", { id: "integer", name: "text", owner_id: "integer" }, ["id"]);
const owners = table("owners", { id: "integer", name: "text" }, ["id"]);

const THING: Partial<FunctionResult> = {
  kind: "composite",
  type: { ...type("things"), category: "composite", rowOf: things },
  rowOf: things,
  columns: things.columns,
};
const TABLE: Partial<FunctionResult> = {
  kind: "composite",
  isSet: true,
  type: type("record"),
  columns: new Map([["total", column("total", "integer")]]),
};
const RECORD: Partial<FunctionResult> = { kind: "composite", isSet: true, type: type("record") };

const catalogue = catalogueOf({
  relations: [things, owners],
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
  functions: [
    fn("nothing", [], { kind: "void", type: type("void") }),
    { ...fn("constant", []), volatility: "stable" },
    fn("add", ["a integer", "b integer = 1"]),
    fn("numbers", ["upto integer = 3"], { isSet: true }),
    fn("sum", ["variadic v integer[]"]),
    fn("one_thing", [], THING),
    fn("all_things", ["least integer = 0"], { ...THING, isSet: true }),
    fn("totals", [], TABLE),
    fn("bare", [], RECORD),
    fn("take_json", [" json"]),
    fn("take_bytes", [" bytea"]),
  ],
});

interface Planned extends CallPlan {
  readonly values: readonly (string | null)[];
}

interface CallOptions extends Partial<RequestInput> {
  readonly maxRows?: number;
}

function plan(url: string, body?: string | null, { maxRows, ...input }: CallOptions = {}): Planned {
  const [path = "", search = ""] = url.split("?");
  const isGet = body === undefined || body === null;
  const bytes = isGet ? null : Buffer.from(body);
  const raw = parse({ method: isGet ? "GET" : "POST", path: `/rpc/${path}`, search, body: bytes, ...input });
  const called = findFunction(catalogue, raw);
  const request = settleCall(raw, called);
  const media = negotiate(request, { isPlanEnabled: false, functionResult: called.returns });
  const parameterised = parameteriseRequest(request, media, { maxRows: maxRows ?? null });
  return { ...planCall(request, called, { catalogue, media, ...parameterised }), values: parameterised.values };
}

function argumentsOf({ call, values }: Planned): unknown {
  const given = call.arguments;
  switch (given.kind) {
    case "none":
      return given;
    case "named":
      return given.values.map(({ parameter, value }) => `${parameter.name} ${parameter.type.name} = ${values[value]}`);
    case "json":
      return [values[given.text], given.parameters.map(({ name }) => name)];
    case "body":
      return [values[given.body], given.type];
  }
}

describe("arguments of a call", () => {
  it("are those of the query, in the order of the parameters", () => {
    assert.deepEqual(argumentsOf(plan("add?b=2&a=1")), ["a integer = 1", "b integer = 2"]);
    assert.deepEqual(argumentsOf(plan("add?a=1")), ["a integer = 1"]);
    assert.deepEqual(argumentsOf(plan("add?a=1&a=2")), ["a integer = 2"]);
  });

  it("are those of a form", () => {
    const contentType = "application/x-www-form-urlencoded";
    assert.deepEqual(argumentsOf(plan("add", "b=2&a=1", { contentType })), ["a integer = 1", "b integer = 2"]);
  });

  it("are members of the body, and only those that are parameters", () => {
    assert.deepEqual(argumentsOf(plan("add", '{"b":2,"a":1}')), ['{"b":2,"a":1}', ["a", "b"]]);
    assert.deepEqual(argumentsOf(plan("add?columns=a", '{"b":2,"a":1}')), ['{"b":2,"a":1}', ["a"]]);
    const csv = plan("add", "a\n1\n", { contentType: "text/csv" });
    assert.deepEqual(argumentsOf(csv), ['{"a":"1"}', ["a"]]);
  });

  it("are the whole body for an unnamed parameter", () => {
    assert.deepEqual(argumentsOf(plan("take_json", "[1, 2]")), ["[1, 2]", "json"]);
    assert.deepEqual(argumentsOf(plan("take_json", '{"a":1}')), ['{"a":1}', "json"]);
    const bytes = plan("take_bytes", "az", { contentType: "application/octet-stream" });
    assert.deepEqual(argumentsOf(bytes), ["\\x617a", "bytea"]);
  });

  it("are a list for a variadic parameter", () => {
    assert.deepEqual(argumentsOf(plan("sum?v=1&v=2")), ['v integer[] = {"1","2"}']);
    assert.deepEqual(argumentsOf(plan("sum", '{"v":[1,2]}')), ['{"v":[1,2]}', ["v"]]);
    const { arguments: given } = plan("sum?v={1,2}").call;
    assert.deepEqual(given.kind === "named" && given.values[0]?.parameter.isVariadic, true);
  });

  it("can be none", () => {
    for (const body of [null, "{}", ""]) assert.deepEqual(argumentsOf(plan("numbers", body)), { kind: "none" });
  });
});

describe("a call", () => {
  it("may write only when it is posted and the function is volatile", () => {
    assert.equal(plan("nothing").call.mayWrite, false);
    assert.equal(plan("nothing", null, { method: "HEAD" }).call.mayWrite, false);
    assert.equal(plan("nothing", "{}").call.mayWrite, true);
    assert.equal(plan("constant", "{}").call.mayWrite, false);
  });

  it("accepts max-affected when it returns rows, and rejects it otherwise", () => {
    const headers = { prefer: "handling=strict, max-affected=4" };
    const bounded = plan("all_things", "{}", { headers });
    assert.ok(bounded.answer.maxAffected !== null);
    assert.equal(bounded.values[bounded.answer.maxAffected], "4");
    for (const url of ["nothing", "add?columns=a", "one_thing"]) {
      const { code, status, message } = rejectionOf(() =>
        plan(url, url.startsWith("add") ? '{"a":1}' : "{}", { headers }),
      );
      assert.deepEqual([code, status], ["PGRST128", 400]);
      assert.equal(
        message,
        "Function must return SETOF or TABLE when max-affected preference is used with handling=strict",
      );
    }
    assert.equal(plan("nothing", "{}", { headers: { prefer: "max-affected=4" } }).answer.maxAffected, null);
  });

  it("fails unless it returns the single requested row", () => {
    const headers = { accept: "application/vnd.pgrst.object+json" };
    assert.equal(plan("all_things", "{}", { headers }).answer.mustBeSingle, true);
    assert.equal(plan("all_things", null, { headers }).answer.mustBeSingle, false);
    assert.equal(plan("one_thing", "{}", { headers }).answer.mustBeSingle, false);
  });

  it("has no body when none is requested", () => {
    assert.deepEqual(plan("all_things", null, { method: "HEAD" }).answer.body, { kind: "none" });
    assert.deepEqual(plan("all_things", "{}", { headers: { prefer: "return=minimal" } }).answer.body, { kind: "none" });
    assert.deepEqual(plan("all_things", "{}").answer.body, { kind: "array", hasNulls: true });
    assert.deepEqual(plan("add", '{"a":1}').answer.body, { kind: "value", hasNulls: true });
  });
});

describe("the result of a call", () => {
  it("cannot be selected from for void and for a scalar", () => {
    assert.equal(plan("nothing").shown, null);
    assert.equal(plan("add?a=1&select=nonsense").shown, null);
  });

  it("is a list of scalars, which can be limited", () => {
    const { shown, values } = plan("numbers?select=nonsense&limit=2&offset=1");
    assert.ok(shown !== null && shown.limit !== null && shown.offset !== null);
    assert.deepEqual(shown.source, { kind: "call" });
    const [output, ...others] = shown.outputs;
    assert.ok(output?.kind === "value" && others.length === 0);
    assert.deepEqual([output.name, output.value.of.kind], ["numbers", "scalar"]);
    assert.deepEqual([values[shown.limit], values[shown.offset]], ["2", "1"]);
  });

  it("is rows like those of a relation, with filters, order, window and embeds", () => {
    const { shown, call, values } = plan(
      "all_things?least=3&id=gt.1&name=like.a*&select=id,owners!inner(name)&order=name&limit=5",
    );
    assert.ok(shown !== null && shown.limit !== null);
    assert.ok(call.arguments.kind === "named" && call.arguments.values.length === 1);
    assert.deepEqual(
      shown.where.map(({ kind }) => kind),
      ["compare", "compare", "exists"],
    );
    const [first, second] = shown.where;
    assert.ok(first?.kind === "compare" && second?.kind === "compare");
    assert.deepEqual([values[first.right], values[second.right]], ["1", "a%"]);
    assert.deepEqual(
      shown.outputs.map(({ kind }) => kind),
      ["value", "embed"],
    );
    assert.deepEqual([shown.order.length, values[shown.limit]], [1, "5"]);
  });

  it("is filtered by the query of a POST too", () => {
    const { shown } = plan("all_things?id=gt.1", '{"least":3}');
    assert.equal(shown?.where.length, 1);
  });

  it("can be selected from one row, output columns and a record", () => {
    assert.deepEqual(plan("one_thing?select=name,owners(name)").shown?.outputs.length, 2);
    const [total] = plan("totals?select=total").shown?.outputs ?? [];
    assert.ok(total?.kind === "value" && total.value.of.kind === "column");
    assert.equal(total.value.of.type?.name, "integer");
    assert.equal(plan("bare?select=anything").shown?.outputs.length, 1);
  });

  it("rejects embeds into rows without a relation, naming the function", () => {
    const { code, message } = rejectionOf(() => plan("totals?select=total,owners(*)"));
    assert.equal(code, "PGRST200");
    assert.equal(message, "Could not find a relationship between 'totals' and 'owners' in the schema cache");
  });

  it("has the row cap when it is a list", () => {
    const capped = plan("numbers", null, { maxRows: 10 });
    assert.deepEqual([capped.answer.isCapped, capped.shown?.isCapped], [true, true]);
    assert.equal(plan("numbers?limit=5", null, { maxRows: 10 }).answer.isCapped, false);
    assert.equal(plan("one_thing", null, { maxRows: 10 }).answer.isCapped, false);
  });

  it("is counted as requested", () => {
    const headers = { prefer: "count=planned" };
    assert.equal(plan("all_things", null, { headers }).answer.count, "planned");
    assert.equal(plan("one_thing", null, { headers }).answer.count, "exact");
    assert.equal(plan("nothing", null, { headers }).answer.count, "exact");
    assert.equal(plan("nothing", null).answer.count, null);
  });
});

describe("calls of one shape", () => {
  function keyOf(url: string): string {
    const [path = "", search = ""] = url.split("?");
    const raw = parse({ path: `/rpc/${path}`, search });
    const called = findFunction(catalogue, raw);
    const request = settleCall(raw, called);
    const media = negotiate(request, { isPlanEnabled: false, functionResult: called.returns });
    return parameteriseRequest(request, media, { maxRows: null }).key;
  }

  it("share a key, however often a value is repeated", () => {
    assert.equal(keyOf("sum?v=1"), keyOf("sum?v=1&v=2"));
    assert.equal(keyOf("add?a=1&b=2"), keyOf("add?a=3&b=4"));
  });

  it("map each argument to its placeholder", () => {
    const urls = ["add?a=1&a=eq.5", "add?a=eq.5&a=1"];
    for (const url of urls) assert.deepEqual(argumentsOf(plan(url)), ["a integer = 1"], url);
  });
});
