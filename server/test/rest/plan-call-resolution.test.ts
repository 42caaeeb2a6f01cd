import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../../src/errors/index.ts";
import type { FunctionEntry } from "../../src/rest/catalogue/catalogue.ts";
import type { RequestInput } from "../../src/rest/parse/parse-request.ts";
import { settleCall } from "../../src/rest/plan/settle-call.ts";
import { findFunction } from "../../src/rest/plan/find-function.ts";
import { catalogueOf, fn } from "./support/entry-catalogue.ts";
import { parse } from "./support/parsing.ts";

const catalogue = catalogueOf({
  functions: [
    fn("nothing", []),
    fn("add", ["a integer", "b integer"]),
    fn("greet", ["name text", "greeting text = 'hi'", "mark text = '!'"]),
    fn("optional", ["a text = ''", "b text = ''"]),
    fn("sum", ["start integer = 0", "variadic v integer[]"]),
    fn("over", []),
    fn("over", ["a integer"]),
    fn("over", ["a integer", "b integer"]),
    fn("clash", ["a integer"]),
    fn("clash", ["a text"]),
    fn("near", ["a integer"]),
    fn("near", ["a integer", "b integer = 1"]),
    fn("take_json", [" json"]),
    fn("take_jsonb", [" jsonb"]),
    fn("take_text", [" text"]),
    fn("take_xml", [" xml"]),
    fn("take_bytes", [" bytea"]),
    fn("both", []),
    fn("both", ["a integer"]),
    fn("both", [" json"]),
    fn("either", [" json"]),
    fn("either", [" jsonb"]),
    fn("find_things", ["name text"]),
    fn("default_text", [" text = 'x'"]),
    fn("fallback", [" text = 'x'"]),
    fn("fallback", []),
    fn("mixed", ["b integer", "a integer"]),
    fn("mixed", ["a text = ''", "b text = ''", "c text = ''"]),
    fn("mixed", ["a text", "b text"]),
    { ...fn("mixed", ["b bigint", "a integer"]), comment: "described" },
    fn("take_any", [" text"]),
    fn("take_any", [" json"]),
  ],
});

function request(url: string, body?: string, input: Partial<RequestInput> = {}) {
  const [path = "", search = ""] = url.split("?");
  const method = body === undefined ? "GET" : "POST";
  return parse({ method, path: `/rpc/${path}`, search, body: body === undefined ? null : Buffer.from(body), ...input });
}

function signatureOf({ name, parameters }: FunctionEntry): string {
  return `${name}(${parameters.map((parameter) => parameter.name || parameter.type.name).join(", ")})`;
}

function find(...[url, body, contentType = null]: readonly [url: string, body?: string, contentType?: string | null]) {
  return signatureOf(findFunction(catalogue, request(url, body, { contentType })));
}

function reject(url: string, body?: string, contentType: string | null = null) {
  try {
    return assert.fail(`was found: ${find(url, body, contentType)}`);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { status, message, extra } = error;
    return { code: extra.foreign?.code, status, message, details: extra.details ?? null, hint: extra.hint ?? null };
  }
}

describe("resolution of a called function", () => {
  const FOUND: readonly (readonly [string, string | undefined, string])[] = [
    ["nothing", undefined, "nothing()"],
    ["nothing", "", "nothing()"],
    ["nothing", "{}", "nothing()"],
    ["nothing", "null", "nothing()"],
    ["add?a=1&b=2", undefined, "add(a, b)"],
    ["add", '{"b":1,"a":2}', "add(a, b)"],
    ["add?columns=a,b", '{"b":1,"a":2,"c":3}', "add(a, b)"],
    ["greet?name=x", undefined, "greet(name, greeting, mark)"],
    ["greet?name=x&mark=?", undefined, "greet(name, greeting, mark)"],
    ["optional", "{}", "optional(a, b)"],
    ["optional?b=1", undefined, "optional(a, b)"],
    ["sum?v=1&v=2", undefined, "sum(start, v)"],
    ["over", "{}", "over()"],
    ["over?a=1", undefined, "over(a)"],
    ["over", '{"a":1,"b":2}', "over(a, b)"],
    ["take_json", "[1,2]", "take_json(json)"],
    ["take_json", '{"a":1}', "take_json(json)"],
    ["take_jsonb", "5", "take_jsonb(jsonb)"],
    ["both", "{}", "both()"],
    ["both", '{"a":1}', "both(a)"],
    ["both", '{"z":1}', "both(json)"],
    ["both", "[]", "both(json)"],
    ["take_text", '{"":"a"}', "take_text(text)"],
    ["take_xml", '{"":"<a/>"}', "take_xml(xml)"],
    ["take_bytes", '{"":"a"}', "take_bytes(bytea)"],
    ["take_json", '{"":1}', "take_json(json)"],
    ["take_json", '{"":1,"a":2}', "take_json(json)"],
    ["take_jsonb", '{"":{"a":1}}', "take_jsonb(jsonb)"],
    ["both", '{"":1}', "both(json)"],
    ["default_text", "{}", "default_text(text)"],
    ["default_text", undefined, "default_text(text)"],
    ["fallback", '{"":"a"}', "fallback(text)"],
  ];
  for (const [url, body, signature] of FOUND) {
    it(`${url} ${body ?? ""} is ${signature}`, () => assert.equal(find(url, body), signature));
  }

  it("depends on the content type of a whole body", () => {
    assert.equal(find("take_text", "a", "text/plain"), "take_text(text)");
    assert.equal(find("take_xml", "<a/>", "text/xml"), "take_xml(xml)");
    assert.equal(find("take_bytes", "a", "application/octet-stream"), "take_bytes(bytea)");
    assert.equal(find("add", "a=1&b=2", "application/x-www-form-urlencoded"), "add(a, b)");
    assert.equal(find("add", "a,b\n1,2\n", "text/csv"), "add(a, b)");
  });

  it("is ambiguous when several overloads take the same names", () => {
    const { code, status, message, details, hint } = reject("clash?a=1");
    assert.deepEqual([code, status, details], ["PGRST203", 300, null]);
    assert.equal(
      message,
      "Could not choose the best candidate function between: public.clash(a => integer), public.clash(a => text)",
    );
    assert.equal(
      hint,
      "Try renaming the parameters or the function itself in the database so function overloading can be resolved",
    );
    assert.equal(reject("near", '{"a":1}').code, "PGRST203");
    assert.equal(reject("either", "[1]").code, "PGRST203");
    assert.equal(reject("take_any", '{"":1}').code, "PGRST203");
  });

  it("is ambiguous when an overload without parameters and one whose unnamed parameter has a default match", () => {
    for (const body of [undefined, "", "{}"]) {
      const { code, message } = reject("fallback", body);
      assert.equal(code, "PGRST203");
      assert.equal(
        message,
        "Could not choose the best candidate function between: public.fallback(), public.fallback( => text)",
      );
    }
  });

  it("lists candidates by the number of their parameters, then by comment, names and types", () => {
    assert.equal(
      reject("mixed?a=1&b=2").message.replaceAll("public.mixed", "").split("between: ")[1],
      "(a => text, b => text), (b => integer, a => integer), (b => bigint, a => integer), (a => text, b => text, c => text)",
    );
  });
});

describe("an unknown function", () => {
  it("is reported with the given names and the nearest function", () => {
    assert.deepEqual(reject("add", '{"b":1,"x":2}'), {
      code: "PGRST202",
      status: 404,
      message: "Could not find the function public.add(b, x) in the schema cache",
      details:
        "Searched for the function public.add with parameters b, x or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache.",
      hint: "Perhaps you meant to call the function public.add(a, b)",
    });
    assert.deepEqual(reject("find_thing?name=a"), {
      code: "PGRST202",
      status: 404,
      message: "Could not find the function public.find_thing(name) in the schema cache",
      details:
        "Searched for the function public.find_thing with parameter name, but no matches were found in the schema cache.",
      hint: "Perhaps you meant to call the function public.find_things",
    });
  });

  it("is reported with parameters that have little in common with the given names", () => {
    assert.equal(reject("add", '{"first":1}').hint, null);
    assert.equal(reject("add", '{"aa":1,"bb":2}').hint, "Perhaps you meant to call the function public.add(a, b)");
  });

  it("is never reported with the call that failed as the hint", () => {
    for (const [url, body] of [
      ["take_text", '{"a":"x"}'],
      ["take_text?a=x", undefined],
      ["take_text", "{}"],
      ["add", '{"":1}'],
    ] as const) {
      assert.equal(reject(url, body).hint, null, url);
    }
    const { message, details } = reject("add", '{"":1}');
    assert.equal(message, "Could not find the function public.add() in the schema cache");
    assert.match(
      JSON.stringify(details),
      /public\.add with parameter {2}or with a single unnamed json\/jsonb parameter/,
    );
  });

  it("is reported when no arguments were given", () => {
    const { message, details, hint } = reject("unheard_of");
    assert.equal(message, "Could not find the function public.unheard_of without parameters in the schema cache");
    assert.equal(
      details,
      "Searched for the function public.unheard_of without parameters, but no matches were found in the schema cache.",
    );
    assert.equal(hint, null);
  });

  it("is reported with the type of a whole body", () => {
    assert.deepEqual(reject("add", "a", "text/plain"), {
      code: "PGRST202",
      status: 404,
      message: "Could not find the function public.add in the schema cache",
      details:
        "Searched for the function public.add with a single unnamed text parameter, but no matches were found in the schema cache.",
      hint: null,
    });
    const { details } = reject("take_json", "a", "application/octet-stream");
    assert.match(JSON.stringify(details), /single unnamed bytea/);
  });

  it("is not matched by missing or unknown argument names", () => {
    for (const [url, body] of [
      ["add?a=1", undefined],
      ["greet?mark=1", undefined],
      ["nothing?a=1", undefined],
      ["nothing", '{"__proto__":1}'],
      ["optional", '{"toString":1}'],
      ["take_json", undefined],
      ["sum", "{}"],
    ] as const) {
      assert.equal(reject(url, body).code, "PGRST202", url);
    }
    assert.equal(reject("optional", "text", "text/plain").code, "PGRST202");
    assert.equal(reject("nothing", "text", "text/plain").code, "PGRST202");
  });
});

describe("a call after its arguments are resolved", () => {
  function settle(url: string, body?: string, contentType: string | null = null) {
    const raw = request(url, body, { contentType });
    const called = findFunction(catalogue, raw);
    const settled = settleCall(raw, called);
    assert.equal(findFunction(catalogue, settled), called, "the same function is found again");
    assert.deepEqual(settleCall(settled, called), settled, "there is nothing left to settle");
    return settled;
  }

  function readings(url: string) {
    const { args, root } = settle(url).query;
    return {
      args: args.map(({ pair: [name, value] }) => `${name}=${value}`),
      filters: root.conditions.map((condition) => (condition.kind === "filter" ? condition.field.name : "logic")),
    };
  }

  it("has a pair that parses as a filter only as a filter", () => {
    assert.deepEqual(readings("add?a=1&id=eq.7&b=2&or=(x.eq.1,y.eq.2)"), {
      args: ["a=1", "b=2"],
      filters: ["id", "logic"],
    });
    assert.deepEqual(readings("optional?a=eq.1&b=2"), { args: ["b=2"], filters: ["a"] });
    assert.deepEqual(readings("greet?name=x&name=eq.y"), { args: ["name=x"], filters: ["name"] });
    assert.deepEqual(readings("greet?name=eq.y&name=x"), { args: ["name=x"], filters: ["name"] });
  });

  it("has it as an argument when the function requires it", () => {
    assert.deepEqual(readings("find_things?name=eq.5"), { args: ["name=eq.5"], filters: [] });
    assert.deepEqual(readings("add?a=eq.5&b=1&c=gt.0"), { args: ["a=eq.5", "b=1"], filters: ["c"] });
  });

  it("has each argument once, the last that was given", () => {
    assert.deepEqual(readings("add?a=1&b=2&a=3").args, ["a=3", "b=2"]);
  });

  it("has all values of a variadic parameter as one list", () => {
    assert.deepEqual(readings("sum?v=1&start=5&v=2").args, ['v={"1","2"}', "start=5"]);
    assert.deepEqual(readings("sum?v=1").args, ['v={"1"}']);
    assert.deepEqual(readings("sum?v={1,2}").args, ["v={1,2}"]);
    assert.deepEqual(readings('sum?v=a"b&v=c\\d').args, [String.raw`v={"a\"b","c\\d"}`]);
  });

  it("has the fields of a form in the same way", () => {
    const { body } = settle("sum", "v=1&v=2&start=3", "application/x-www-form-urlencoded");
    assert.deepEqual(body.kind === "form" && body.pairs, [
      ["v", '{"1","2"}'],
      ["start", "3"],
    ]);
  });

  it("has the one line of a CSV as an object", () => {
    const { body } = settle("add", "a,b\n1,2\n", "text/csv");
    assert.deepEqual(body.kind === "rows" && [body.text, body.isArray], ['{"a":"1","b":"2"}', false]);
    for (const text of ["a,b\n", "a,b\n1,2\n3,4\n"]) {
      const raw = request("add", text, { contentType: "text/csv" });
      assert.throws(() => settleCall(raw, findFunction(catalogue, raw)), /A function takes one line of arguments/);
    }
  });
});
