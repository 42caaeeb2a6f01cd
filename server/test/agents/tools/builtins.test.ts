import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { calculate } from "../../../src/agents/tools/builtins/calculate.ts";
import { queryJson } from "../../../src/agents/tools/builtins/query-json.ts";
import { readWait } from "../../../src/agents/tools/builtins/read-wait.ts";
import { formatTime } from "../../../src/agents/tools/builtins/format-time.ts";
import { takeToolName, toLegalName } from "../../../src/agents/providers/tool-names.ts";
import { boundText } from "../../../src/agents/tools/output/bound-text.ts";
import { toStoredOutput } from "../../../src/agents/tools/output/to-stored-output.ts";

describe("readWait", () => {
  const now = new Date("2026-11-18T12:00:00Z");

  it("reads times with their offset, up to 366 days from now", () => {
    const cases: [string, string][] = [
      ["2026-11-18T13:00:01+01:00", "2026-11-18T12:00:01.000Z"],
      ["2026-11-18T12:01Z", "2026-11-18T12:01:00.000Z"],
      ["2027-02-28T23:59:59.5-05:30", "2027-03-01T05:29:59.500Z"],
      ["2027-11-19T12:00:00Z", "2027-11-19T12:00:00.000Z"],
    ];
    for (const [until, read] of cases)
      assert.deepEqual(readWait({ until }, "time", now), { kind: "time", until: read });
    assert.deepEqual(readWait({ seconds: 5 }, "time", now), { kind: "time", seconds: 5 });
    const event = { kind: "event", name: "paid", from: "starter", seconds: 5 };
    assert.deepEqual(readWait({ name: "paid", seconds: 5 }, "event", now), event);
  });

  it("rejects times that are over, too far away, without an offset, or none", () => {
    for (const until of [
      "2026-11-18T12:00:00Z",
      "2026-11-18T12:30:00+01:00",
      "2027-11-19T12:00:00.001Z",
      "2026-11-19T12:00:00",
      "2026-11-19",
      "2027-02-30T25:00:00Z",
      "+275760-09-13T00:00:00Z",
      "tomorrow",
      "",
      "9".repeat(40),
    ])
      assert.throws(() => readWait({ until }, "time", now), { name: "ToolFailure" }, until);
    assert.throws(() => readWait({}, "time", now), /either until or seconds/);
    assert.throws(
      () => readWait({ until: "2026-11-19T12:00:00Z", seconds: 1 }, "time", now),
      /either until or seconds/,
    );
  });
});

describe("calculate", () => {
  it("evaluates expressions with the usual precedence", () => {
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

  it("rejects everything else", () => {
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

describe("queryJson", () => {
  const json = JSON.stringify({ items: [{ id: 1, "a.b": "x" }, { id: 2 }, {}], "m/n": { "~": true } });
  it("selects by path and by JSON pointer", () => {
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
      if (path === "items[9]") assert.throws(() => queryJson(json, path), /matches nothing/);
      else assert.equal(queryJson(json, path), found, path);
    }
  });

  it("rejects paths that are not valid, and selects own properties only", () => {
    assert.throws(() => queryJson("{", "a"), /not JSON/);
    for (const path of ["items[", "items[a]", "a..b", "[[0]]"])
      assert.throws(() => queryJson(json, path), /is not valid from/, path);
    for (const path of ["__proto__", "constructor", "items.length", "toString"])
      assert.throws(() => queryJson(json, path), /matches nothing/, path);
  });
});

describe("formatTime", () => {
  it("formats the time in a time zone", () => {
    const now = new Date("2026-07-01T23:30:05Z");
    const { date, time, weekday, offset } = JSON.parse(formatTime(now, "Europe/Berlin")) as Record<string, string>;
    assert.deepEqual([date, time, weekday, offset], ["2026-07-02", "01:30:05", "Thursday", "GMT+02:00"]);
    assert.throws(() => formatTime(now, "Mars/Base"), /time zone does not exist/);
  });
});

describe("tool outputs", () => {
  it("are truncated between characters and marked", () => {
    assert.deepEqual(boundText("a\0b\ud800", 10), { text: "ab\u{fffd}", chars: 3, isTruncated: false });
    const cut = boundText("\u{1f600}".repeat(500), 201);
    assert.ok(cut.isTruncated && cut.text.length <= 201 && cut.text.isWellFormed());
    assert.match(cut.text, /\[truncated, 1000 characters in all\]$/);
    assert.equal(boundText("\u{1f600}", 1).text, "");
  });

  it("are stored as JSON when PostgreSQL accepts it", () => {
    assert.deepEqual(toStoredOutput('{"a": [1]}'), { a: [1] });
    for (const text of ["{", "plain", '{"a": "\\u0000"}', '["\\uD800"]', `${"[".repeat(5000)}${"]".repeat(5000)}`])
      assert.equal(toStoredOutput(text), text);
  });

  it("names of imported tools are valid and unique", () => {
    assert.equal(takeToolName(toLegalName("get.weather/now"), new Set()), "get_weather_now");
    assert.equal(takeToolName(toLegalName("1st"), new Set(["_1st", "_1st_2"])), "_1st_3");
    assert.equal(takeToolName(toLegalName("x".repeat(100)), new Set(["x".repeat(64)])), `${"x".repeat(62)}_2`);
  });
});
