import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../../src/errors/index.ts";
import type { ParsedBody, RowsBody } from "../../src/rest/parse/parsed-request.ts";
import { parse, parseBytes, rejectionOf } from "./support/parsing.ts";

const JSON_TYPE = "application/json";
const CSV = "text/csv";
const FORM = "application/x-www-form-urlencoded";
const RPC = { path: "/rpc/f" };

function rowsOf(body: ParsedBody): RowsBody {
  assert.equal(body.kind, "rows");
  return body;
}

function rejectsType(act: () => unknown, type: string): void {
  const message = `Content-Type not acceptable: ${type}`;
  assert.throws(act, (error) => error instanceof AppError && error.status === 415 && error.message === message);
}

function rejects(act: () => unknown, message: string): void {
  assert.deepEqual(rejectionOf(act), { code: "PGRST102", status: 400, message, details: null });
}

describe("a JSON body", () => {
  it("is one row with its text as sent when it is an object", () => {
    const text = '{"b": 12345678901234567890, "a": [1, {"c": null}]}';
    const body = rowsOf(parseBytes(text, JSON_TYPE));
    assert.deepEqual([body.source, body.isArray, body.keys, body.text], ["json", false, ["b", "a"], text]);
    assert.deepEqual(body.rows[0]?.["a"], [1, { c: null }]);
  });

  it("is a list of objects with the same keys in any order", () => {
    const body = rowsOf(parseBytes('[{"a":1,"b":2},{"b":3,"a":4}]', "Application/JSON; charset=utf-8"));
    assert.deepEqual([body.isArray, body.keys, body.rows.length], [true, ["a", "b"], 2]);
  });

  it("is assumed when Content-Type is absent", () => {
    assert.deepEqual(rowsOf(parseBytes("{}", null)).rows, [{}]);
    assert.deepEqual(rowsOf(parseBytes("{}", " ")).rows, [{}]);
  });

  it("is an empty list when it is an empty list or a scalar", () => {
    for (const text of ["[]", " [ ] ", "1", '"x"', "null", "true"]) {
      const body = rowsOf(parseBytes(text, JSON_TYPE));
      assert.deepEqual([body.text, body.isArray, body.rows, body.keys], ["[]", true, [], []], text);
    }
  });

  it("may begin with a byte order mark, which is removed", () => {
    assert.equal(rowsOf(parseBytes("\ufeff{}", JSON_TYPE)).text, "{}");
  });

  it("keeps keys such as __proto__", () => {
    const body = rowsOf(parseBytes('[{"__proto__":1},{"__proto__":2}]', JSON_TYPE));
    assert.deepEqual(body.keys, ["__proto__"]);
    rejects(() => parseBytes('[{"toString":1},{"valueOf":1}]', JSON_TYPE), "All object keys must match");
    rejects(() => parseBytes('[{"toString":1},{}]', JSON_TYPE), "All object keys must match");
  });

  for (const text of ["", " ", "{", "[1", "{'a':1}", "undefined", "{}{}", "\u0000", '{"a":01}', '"\n"']) {
    it(`is rejected as ${JSON.stringify(text)}`, () => {
      for (const method of ["POST", "PATCH", "PUT"]) {
        rejects(() => parseBytes(text, JSON_TYPE, { method }), "Empty or invalid json");
      }
    });
  }

  it("is rejected when it is absent, not UTF-8, or nested too deeply", () => {
    rejects(() => parse({ method: "POST" }), "Empty or invalid json");
    rejects(() => parseBytes(Buffer.from([0x22, 0xff, 0x22]), JSON_TYPE), "Empty or invalid json");
    const nest = (depth: number) => `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    for (const depth of [1000, 100_000]) {
      rejects(() => parseBytes(nest(depth), JSON_TYPE), "The JSON body must not be nested deeper than 1000 levels");
    }
    assert.equal(rowsOf(parseBytes(nest(999), JSON_TYPE)).rows.length, 1);
    const brackets = JSON.stringify({ a: `\\"${"[".repeat(5000)}` });
    assert.equal(rowsOf(parseBytes(brackets, JSON_TYPE)).rows.length, 1);
  });

  it("is rejected when rows differ in their keys", () => {
    for (const text of ['[{"a":1},{"b":1}]', '[{"a":1},{}]', '[{},{"a":1}]', '[{"a":1},1]', "[1]", "[[]]", "[null]"]) {
      rejects(() => parseBytes(text, JSON_TYPE), "All object keys must match");
    }
  });

  it("may have rows with different keys when columns are given, except on PUT", () => {
    const search = "columns=a,b";
    const text = '[{"a":1},{"b":1,"c":2}]';
    for (const method of ["POST", "PATCH"]) {
      const body = rowsOf(parseBytes(text, JSON_TYPE, { method, search }));
      assert.deepEqual([body.text, body.rows.length], [text, 2]);
      rejects(() => parseBytes('[{"a":1},2]', JSON_TYPE, { method, search }), "All object keys must match");
    }
    rejects(() => parseBytes(text, JSON_TYPE, { method: "PUT", search }), "All object keys must match");
  });

  it("is for a function an object of arguments, or one argument", () => {
    assert.deepEqual(rowsOf(parseBytes('{"a":1}', JSON_TYPE, RPC)).keys, ["a"]);
    assert.equal(rowsOf(parseBytes("", JSON_TYPE, RPC)).text, "{}");
    assert.equal(rowsOf(parse({ ...RPC, method: "POST" }).body).text, "{}");
    for (const text of ["[1, 2]", '[{"a":1},{"b":2}]', '"x"', "null", "1.50"]) {
      assert.deepEqual(parseBytes(text, JSON_TYPE, RPC), { kind: "json", text });
    }
    rejects(() => parseBytes("{", JSON_TYPE, RPC), "Empty or invalid json");
  });
});

describe("a CSV body", () => {
  it("is a line of names and lines of texts", () => {
    const body = rowsOf(parseBytes("a,b c\n1,x\n2,y\n", "text/csv; charset=utf-8"));
    assert.deepEqual(body.rows, [
      { a: "1", "b c": "x" },
      { a: "2", "b c": "y" },
    ]);
    assert.deepEqual([body.source, body.isArray, body.keys], ["csv", true, ["a", "b c"]]);
    assert.deepEqual(JSON.parse(body.text), body.rows);
  });

  it("distinguishes null, empty and quoted values", () => {
    const { rows } = rowsOf(parseBytes('\ufeffa,b,c,d\r\nNULL,,"NULL","x, ""y""\nz"\r\n', CSV));
    assert.deepEqual(rows, [{ a: null, b: "", c: "NULL", d: 'x, "y"\nz' }]);
  });

  it("may have empty lines, no last line end, and no rows", () => {
    assert.deepEqual(rowsOf(parseBytes("\na\n\n1\n\n2", CSV)).rows, [{ a: "1" }, { a: "2" }]);
    assert.deepEqual(rowsOf(parseBytes("a,b\n", CSV)).rows, []);
  });

  const rejected: readonly (readonly [string | Buffer, string])[] = [
    ["", "Empty or invalid csv"],
    ["\n\n", "Empty or invalid csv"],
    ["a,b\n1", "All lines must have same number of fields"],
    ["a\n1,2", "All lines must have same number of fields"],
    ['a\n"1', "Invalid csv: a quote is not closed"],
    ['a\n"1"2', "Invalid csv: text after a closing quote"],
    ["a,a\n1,2", "Invalid csv: a column name is repeated"],
    [`${"a".repeat(64)}\n1`, "Invalid csv: a column name is longer than 63 bytes"],
    [Buffer.from([0x61, 0x0a, 0xff]), "Invalid csv: not UTF-8"],
  ];
  for (const [text, message] of rejected) {
    it(`is rejected as ${JSON.stringify(text.toString().slice(0, 20))}`, () => {
      rejects(() => parseBytes(text, CSV), message);
    });
  }
});

describe("a form", () => {
  it("is for a table one row of texts", () => {
    const body = rowsOf(parseBytes("a=1&b=x+y%26&c&a=2&&__proto__=p", FORM));
    assert.deepEqual([body.source, body.isArray, body.keys], ["form", false, ["a", "b", "c", "__proto__"]]);
    assert.equal(body.text, '{"a":"2","b":"x y&","c":"","__proto__":"p"}');
    assert.deepEqual(rowsOf(parseBytes("", FORM)).rows, [{}]);
  });

  it("is for a function a list of arguments", () => {
    const pairs = [
      ["v", "1"],
      ["v", "2"],
    ];
    assert.deepEqual(parseBytes("v=1&v=2", FORM, RPC), { kind: "form", pairs });
  });

  it("is rejected when it is not percent-encoded UTF-8", () => {
    for (const text of ["a=%", "%zz=1", "a=%ff", "a=%00"]) {
      rejects(() => parseBytes(text, FORM), "Invalid form: not percent-encoded UTF-8");
    }
    rejects(() => parseBytes(Buffer.from([0xff]), FORM), "Invalid form: not percent-encoded UTF-8");
  });
});

describe("a body of another type", () => {
  it("is for a function its bytes", () => {
    for (const type of ["text/plain", "text/xml", "application/octet-stream"] as const) {
      const bytes = Buffer.from([0, 0xff]);
      assert.deepEqual(parseBytes(bytes, `${type}; charset=x`, RPC), { kind: "raw", type, bytes });
      rejectsType(() => parseBytes(bytes, type), type);
    }
  });

  it("is rejected", () => {
    for (const type of ["application/xml", "json", "application/vnd.pgrst.object+json"]) {
      rejectsType(() => parseBytes("{}", type), type);
      rejectsType(() => parseBytes("{}", type, RPC), type);
    }
  });

  it("is ignored when the method has none", () => {
    for (const method of ["GET", "HEAD", "DELETE", "OPTIONS"]) {
      assert.deepEqual(parseBytes("{", "what/ever", { method }), { kind: "none" });
    }
    assert.deepEqual(parseBytes("{", "what/ever", { ...RPC, method: "GET" }), { kind: "none" });
  });
});
