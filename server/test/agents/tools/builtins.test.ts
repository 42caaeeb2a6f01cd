import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { calculate } from "../../../src/agents/tools/builtins/calculate.ts";
import { queryJson } from "../../../src/agents/tools/builtins/query-json.ts";
import { tellTime } from "../../../src/agents/tools/builtins/tell-time.ts";
import { legalName } from "../../../src/agents/tools/calls/legal-name.ts";
import { boundText } from "../../../src/agents/tools/output/bound-text.ts";
import { keptOutput } from "../../../src/agents/tools/output/kept-output.ts";

describe("the calculator", () => {
  it("reads expressions by the usual rules", () => {
    const cases: [string, number][] = [
      ["1 + 2 * 3", 7],
      ["(1 + 2) * 3", 9],
      ["2 ^ 3 ^ 2", 512],
      ["-2 ^ 2", -4],
      ["2 ^ -1", 0.5],
      ["7 % 4 - -1", 4],
      ["1.5e3 / .5", 3000],
      ["max(1, sqrt(16), min(9, 5)) + abs(-1)", 6],
      ["round(pi * 100) / 100", 3.14],
      ["log(1000) + ln(e)", 4],
    ];
    for (const [expression, value] of cases) assert.equal(calculate(expression), value, expression);
  });

  it("refuses everything else", () => {
    for (const expression of [
      "",
      "1 +",
      "1 2",
      "(1",
      "1)",
      "1 / 0",
      "sqrt(-1)",
      "process.exit(1)",
      "constructor(1)",
      "x",
      "1; 2",
      "9^9^9^9",
      "(".repeat(500),
      "-".repeat(900),
      "2^".repeat(400),
    ])
      assert.throws(() => calculate(expression), { name: "ToolFailure" }, expression.slice(0, 20));
  });
});

describe("the JSON query", () => {
  const json = JSON.stringify({ items: [{ id: 1, "a.b": "x" }, { id: 2 }, {}], "m/n": { "~": true } });
  it("finds by path and by pointer", () => {
    const cases: [string, string][] = [
      ["items[0].id", "1"],
      ["$.items[*].id", "[1,2]"],
      ["items[9]", "null"],
      ['items[0]["a.b"]', '"x"'],
      ["/items/1/id", "2"],
      ["/m~1n/~0", "true"],
      ["", json],
    ];
    for (const [path, found] of cases) {
      if (path === "items[9]") assert.throws(() => queryJson(json, path), /names nothing/);
      else assert.equal(queryJson(json, path), found, path);
    }
  });

  it("refuses what it cannot read, and sees own members alone", () => {
    assert.throws(() => queryJson("{", "a"), /not JSON/);
    for (const path of ["items[", "items[a]", "a..b", "[[0]]"])
      assert.throws(() => queryJson(json, path), /cannot be read/, path);
    for (const path of ["__proto__", "constructor", "items.length", "toString"])
      assert.throws(() => queryJson(json, path), /names nothing/, path);
  });
});

describe("the clock", () => {
  it("tells the time of a zone", () => {
    const now = new Date("2026-07-01T23:30:05Z");
    const { date, time, weekday, offset } = JSON.parse(tellTime(now, "Europe/Berlin")) as Record<string, string>;
    assert.deepEqual([date, time, weekday, offset], ["2026-07-02", "01:30:05", "Thursday", "GMT+02:00"]);
    assert.throws(() => tellTime(now, "Mars/Base"), /no such time zone/);
  });
});

describe("outputs", () => {
  it("are bounded, whole characters, marked", () => {
    assert.deepEqual(boundText("a\0b\ud800", 10), { text: "ab\u{fffd}", chars: 3, isTruncated: false });
    const cut = boundText("\u{1f600}".repeat(500), 201);
    assert.ok(cut.isTruncated && cut.text.length <= 201 && cut.text.isWellFormed());
    assert.match(cut.text, /\[truncated, 1000 characters in all\]$/);
    assert.equal(boundText("\u{1f600}", 1).text, "");
  });

  it("are kept as what a column of JSON can hold", () => {
    assert.deepEqual(keptOutput('{"a": [1]}'), { a: [1] });
    for (const text of ["{", "plain", '{"a": "\\u0000"}', '["\\uD800"]', `${"[".repeat(5000)}${"]".repeat(5000)}`])
      assert.equal(keptOutput(text), text);
  });

  it("names of imported tools are legal and free", () => {
    assert.equal(legalName("get.weather/now", new Set()), "get_weather_now");
    assert.equal(legalName("1st", new Set(["_1st", "_1st_2"])), "_1st_3");
    assert.equal(legalName("x".repeat(100), new Set(["x".repeat(64)])), `${"x".repeat(62)}_2`);
  });
});
