import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError, renderError } from "../../src/errors/index.ts";
import type { AnswerPlan, Write } from "../../src/rest/plan/plan.ts";
import { type AnswerInput, buildExplainAnswer } from "../../src/rest/respond/build-answer.ts";
import type { MainResult } from "../../src/rest/respond/main-result.ts";
import { rejectionOf } from "./support/parsing.ts";
import {
  answerTo,
  callPlan,
  DELETE,
  dataType,
  functionResult,
  INSERT,
  INTEGER,
  readPlan,
  TEXT,
  UPDATE,
  writePlan,
} from "./support/respond-stage.ts";

const OBJECT = "application/vnd.pgrst.object+json";
const ROWS = dataType("things", "composite");

describe("responses to reads", () => {
  it("contain the body unchanged and its media type", () => {
    const body = '[{"id":1}, \n {"id":2}]';
    assert.deepEqual(answerTo({}, readPlan(), { parts: ['{"id":1}', '{"id":2}'], rows: 2 }), {
      status: 200,
      headers: {
        "content-range": "0-1/*",
        "content-location": "/things",
        "content-type": "application/json; charset=utf-8",
        vary: "Accept, Prefer, Range",
      },
      body,
      isJson: true,
    });
  });

  interface Window {
    readonly search: string;
    readonly rows: number;
    readonly total?: number;
    readonly count?: AnswerPlan["count"];
    readonly estimate?: number;
    readonly isCut?: boolean;
    readonly gives: readonly [status: number, range: string];
  }
  const windows: readonly Window[] = [
    { search: "", rows: 0, gives: [200, "*/*"] },
    { search: "offset=5", rows: 3, gives: [200, "5-7/*"] },
    { search: "", rows: 0, total: 0, count: "exact", gives: [200, "*/0"] },
    { search: "", rows: 3, total: 3, count: "exact", gives: [200, "0-2/3"] },
    { search: "limit=2", rows: 2, total: 3, count: "exact", gives: [206, "0-1/3"] },
    { search: "offset=2", rows: 1, total: 3, count: "exact", gives: [206, "2-2/3"] },
    { search: "offset=3", rows: 0, total: 3, count: "exact", gives: [206, "*/3"] },
    { search: "limit=0", rows: 0, total: 3, count: "exact", gives: [206, "*/3"] },
    { search: "limit=0&offset=9", rows: 0, total: 3, count: "exact", gives: [206, "*/3"] },
    { search: "limit=2", rows: 2, count: "planned", estimate: 70, gives: [206, "0-1/70"] },
    // More rows are returned than the planner estimated.
    { search: "offset=10", rows: 5, count: "planned", estimate: 3, gives: [206, "10-14/15"] },
    { search: "", rows: 5, count: "planned", estimate: 3, gives: [200, "0-4/5"] },
    // The cap of 10 was not reached by counting, so the count is exact.
    { search: "", rows: 4, total: 4, count: "estimated", estimate: 900, gives: [200, "0-3/4"] },
    { search: "", rows: 10, total: 11, count: "estimated", estimate: 900, isCut: true, gives: [206, "0-9/900"] },
    { search: "", rows: 10, total: 11, count: "estimated", estimate: 3, isCut: true, gives: [206, "0-9/11"] },
    { search: "offset=40", rows: 10, total: 11, count: "estimated", estimate: 3, gives: [206, "40-49/50"] },
    { search: "", rows: 10, isCut: true, gives: [206, "0-9/*"] },
  ];
  for (const { search, rows, total, count = null, estimate = null, isCut = false, gives } of windows) {
    it(`${search || "all"}, ${rows} of ${total ?? estimate ?? "?"} (${count}): ${gives.join(" ")}`, () => {
      const plan = readPlan({ count, isCapped: true });
      const row = { rows, total: total ?? null, isCut };
      const answer = answerTo({ search }, plan, row, { estimate, maxRows: 10 });
      assert.deepEqual([answer.status, answer.headers["content-range"]], gives);
      assert.equal(answer.headers["x-row-limit"], isCut ? "10" : undefined);
    });
  }

  it("keep an exact count when there is no row cap", () => {
    const plan = readPlan({ count: "estimated" });
    const answer = answerTo({ search: "limit=2" }, plan, { rows: 2, total: 50 }, { estimate: 900 });
    assert.equal(answer.headers["content-range"], "0-1/50");
  });

  it("reject a window beyond the last row, with the total", () => {
    const plan = readPlan({ count: "exact" });
    try {
      answerTo({ search: "offset=9" }, plan, { total: 3 });
      assert.fail("was taken");
    } catch (error) {
      assert.ok(error instanceof AppError);
      const { status, headers, body } = renderError(error);
      assert.equal(status, 416);
      assert.equal(headers["content-range"], "*/3");
      assert.partialDeepStrictEqual(JSON.parse(body), {
        code: "PGRST103",
        message: "Requested range not satisfiable",
        details: "An offset of 9 was requested, but there are only 3 rows.",
      });
    }
  });

  it("have no body for HEAD, and the same headers", () => {
    const { status, headers, body } = answerTo({ method: "HEAD" }, readPlan(), { rows: 2 });
    assert.deepEqual([status, headers["content-range"], body], [200, "0-1/*", null]);
    assert.equal(headers["content-type"], "application/json; charset=utf-8");
  });

  for (const method of ["GET", "HEAD"]) {
    it(`reject ${method} of an object when there is not one row`, () => {
      for (const rows of [0, 2]) {
        assert.deepEqual(
          rejectionOf(() => answerTo({ method, headers: { accept: OBJECT } }, readPlan(), { rows })),
          {
            code: "PGRST116",
            status: 406,
            message: "Cannot coerce the result to a single JSON object",
            details: `The result contains ${rows} rows`,
          },
        );
      }
      assert.equal(answerTo({ method, headers: { accept: OBJECT } }, readPlan(), { rows: 1 }).status, 200);
    });
  }

  const locations: readonly [path: string, search: string, location: string | undefined][] = [
    ["/things", "", "/things"],
    ["/things", "?", "/things"],
    ["/things", "select=*&b=eq.2&a=eq.1", "/things?a=eq.1&b=eq.2&select=*"],
    ["/things", "?b=eq.%C3%A9%20&a=in.(1%2C2)&", "/things?a=in.(1%2C2)&b=eq.%C3%A9%20"],
    ["/things", "a=gt.2&a=lt.1", "/things?a=gt.2&a=lt.1"],
    ["/the%20%C3%A9", "", "/the%20%C3%A9"],
    ["/things", "a=eq.\u00c3\u00a9 \r\nx", "/things?a=eq.%C3%A9%20%0D%0Ax"],
    ["/things", `a=eq.${"x".repeat(9000)}`, undefined],
  ];
  for (const [path, search, location] of locations) {
    it(`have a Content-Location: ${path}?${search.slice(0, 30)}`, () => {
      const { headers } = answerTo({ path }, readPlan(), {}, { rawSearch: search });
      assert.equal(headers["content-location"], location);
    });
  }

  it("contain the schema when several are exposed", () => {
    assert.equal(answerTo({}, readPlan(), {}, { multipleSchemas: true }).headers["content-profile"], "public");
    assert.equal(answerTo({}, readPlan()).headers["content-profile"], undefined);
    const asked = answerTo({ headers: { "accept-profile": "other" } }, readPlan());
    assert.equal(asked.headers["content-profile"], "other");
  });
});

describe("responses to writes", () => {
  const merge: Write = { ...INSERT, conflict: { columns: ["id"], resolution: "merge" } };
  const ignore: Write = { ...INSERT, conflict: { columns: ["id"], resolution: "ignore" } };
  const rows: readonly [
    method: string,
    write: Write,
    prefer: string,
    row: Partial<MainResult>,
    status: number,
    range: string | undefined,
  ][] = [
    ["POST", INSERT, "", { rows: 1 }, 201, "*/*"],
    ["POST", INSERT, "", { rows: 0 }, 201, "*/*"],
    ["POST", INSERT, "return=representation", { rows: 1 }, 201, "*/*"],
    ["POST", INSERT, "count=exact", { rows: 2 }, 201, "*/2"],
    ["POST", INSERT, "count=planned", { rows: 2 }, 201, "*/*"],
    ["POST", merge, "resolution=merge-duplicates", { rows: 2, inserted: 1 }, 201, "*/*"],
    ["POST", merge, "resolution=merge-duplicates", { rows: 2, inserted: 0 }, 200, "*/*"],
    ["POST", ignore, "resolution=ignore-duplicates", { rows: 0, inserted: 0 }, 201, "*/*"],
    ["PATCH", UPDATE, "", { rows: 3 }, 204, "0-2/*"],
    ["PATCH", UPDATE, "", { rows: 0 }, 204, "*/*"],
    ["PATCH", UPDATE, "return=representation", { rows: 0 }, 200, "*/*"],
    ["PATCH", UPDATE, "return=representation,count=exact", { rows: 2 }, 200, "0-1/2"],
    ["PATCH", UPDATE, "count=exact", { rows: 0 }, 204, "*/0"],
    ["DELETE", DELETE, "", { rows: 2 }, 204, "*/*"],
    ["DELETE", DELETE, "return=representation", { rows: 2 }, 200, "*/*"],
    ["DELETE", DELETE, "count=estimated", { rows: 2 }, 204, "*/2"],
    ["PUT", merge, "", { rows: 1, inserted: 1 }, 204, undefined],
    ["PUT", merge, "return=representation", { rows: 1, inserted: 1 }, 201, undefined],
    ["PUT", merge, "return=representation", { rows: 1, inserted: 0 }, 200, undefined],
  ];
  for (const [method, write, prefer, row, status, range] of rows) {
    it(`${method} ${write.kind} of ${row.rows} (${prefer}): ${status} ${range}`, () => {
      const input = { method, headers: { prefer }, body: Buffer.from("{}") };
      const answer = answerTo(input, writePlan(write), { parts: ["{}"], ...row });
      const isShown = prefer.includes("representation");
      assert.deepEqual([answer.status, answer.headers["content-range"]], [status, range]);
      assert.equal(answer.body, isShown ? "[{}]" : null);
      assert.equal(answer.headers["content-type"], isShown ? "application/json; charset=utf-8" : undefined);
    });
  }

  const keys: readonly [key: string | null, location: string | undefined][] = [
    [null, undefined],
    ["{}", undefined],
    ['{"id":"7"}', "/things?id=eq.7"],
    ['{"a":"x y&é","b c":null}', "/things?a=eq.x%20y%26%C3%A9&b%20c=is.null"],
  ];
  for (const [location, gives] of keys) {
    it(`have the Location of the row ${location}`, () => {
      const input = { method: "POST", headers: { prefer: "return=headers-only" }, body: Buffer.from("{}") };
      assert.equal(answerTo(input, writePlan(INSERT), { rows: 1, location }).headers["location"], gives);
    });
  }

  it("do not check for one row, which the statement does", () => {
    const input = { method: "PATCH", headers: { accept: OBJECT }, body: Buffer.from("{}") };
    assert.equal(answerTo(input, writePlan(UPDATE), { rows: 2 }).status, 204);
  });
});

describe("responses to calls", () => {
  const input = { method: "POST", path: "/rpc/act", body: Buffer.from("{}") };
  const set = functionResult("composite", ROWS, true);

  it("contain the result of the function", () => {
    const value = answerTo(input, callPlan(functionResult("scalar", INTEGER)), { parts: ["3"], rows: 1 });
    assert.deepEqual([value.status, value.body], [200, "3"]);
    const nothing = answerTo(input, callPlan(functionResult("scalar", INTEGER)), { rows: 1 });
    assert.equal(nothing.body, "null");
    assert.equal(value.headers["content-location"], undefined);
  });

  it("omit the result with return=minimal", () => {
    const quiet = { ...input, headers: { prefer: "return=minimal" } };
    const { status, headers, body } = answerTo(quiet, callPlan(set, { count: "exact" }), { rows: 2, total: 2 });
    assert.deepEqual([status, body, headers["content-range"]], [200, null, "0-1/2"]);
    assert.equal(headers["content-type"], undefined);
    const full = { ...input, headers: { prefer: "return=representation" } };
    const shown = answerTo(full, callPlan(set), { rows: 1, parts: ["{}"] });
    assert.deepEqual([shown.body, shown.headers["preference-applied"]], ["[{}]", undefined]);
  });

  it("are empty for void", () => {
    const plan = callPlan(functionResult("void", dataType("void", "void")));
    const { status, headers, body } = answerTo(input, plan, { rows: 1 });
    assert.deepEqual([status, body, headers["content-type"]], [204, null, undefined]);
  });

  it("have windows and counts", () => {
    const plan = callPlan(set, { count: "exact" });
    const answer = answerTo({ ...input, search: "limit=2&offset=1" }, plan, { rows: 2, total: 9 });
    assert.deepEqual([answer.status, answer.headers["content-range"]], [206, "1-2/9"]);
    assert.equal(rejectionOf(() => answerTo({ ...input, search: "offset=10" }, plan, { total: 9 })).status, 416);
  });

  it("are one object on request", () => {
    const asked = { ...input, headers: { accept: OBJECT } };
    assert.equal(rejectionOf(() => answerTo(asked, callPlan(set), { rows: 2 })).code, "PGRST116");
    assert.equal(answerTo(asked, callPlan(set), { rows: 1, parts: ["{}"] }).body, "{}");
  });

  it("are bytes or text on request", () => {
    const bytes = callPlan(functionResult("scalar", dataType("bytea", "bytea")));
    const asked = { ...input, headers: { accept: "application/octet-stream" } };
    assert.deepEqual(answerTo(asked, bytes, { rows: 1, parts: ["00ff10"] }).body, Buffer.from([0, 255, 16]));
    assert.deepEqual(answerTo(asked, bytes, { rows: 1, parts: [""] }).body, Buffer.alloc(0));
    const text = { ...input, headers: { accept: "text/plain" } };
    assert.equal(answerTo(text, callPlan(functionResult("scalar", TEXT)), { rows: 1, parts: ["\\x"] }).body, "\\x");
  });
});

describe("Preference-Applied", () => {
  const upsert = writePlan({ ...INSERT, conflict: { columns: ["id"], resolution: "merge" } });
  const all =
    "max-affected=9, timezone=UTC, handling=strict, tx=commit, count=exact, return=minimal, missing=default, resolution=merge-duplicates";
  const rows: readonly [string, string, AnswerInput["plan"], string, string | undefined][] = [
    ["POST", all, upsert, "resolution, missing, return, count, tx, handling, timezone", "in order"],
    ["POST", all, writePlan(INSERT), "missing, return, count, tx, handling, timezone", "without a key"],
    ["PATCH", all, writePlan(UPDATE), "missing, return, count, tx, handling, timezone, max-affected", undefined],
    ["DELETE", all, writePlan(DELETE), "return, count, tx, handling, timezone, max-affected", undefined],
    ["PUT", all, upsert, "return, count, tx, handling, timezone", undefined],
    ["GET", all, readPlan(), "count, tx, handling, timezone", undefined],
    [
      "PATCH",
      all.replace("strict", "lenient"),
      writePlan(UPDATE),
      "missing, return, count, tx, handling, timezone",
      "lenient",
    ],
  ];
  for (const [method, prefer, plan, names, note] of rows) {
    it(`${method} ${note ?? ""}: ${names}`, () => {
      const body = method === "GET" ? null : Buffer.from("{}");
      const answer = answerTo({ method, headers: { prefer }, body }, plan, {}, { isRollbackAllowed: true });
      const applied = String(answer.headers["preference-applied"]).split(", ");
      assert.deepEqual(applied.map((one) => one.split("=")[0]).join(", "), names);
    });
  }

  it("has max-affected for calls and values as they were sent", () => {
    const plan = callPlan(functionResult("composite", ROWS, true));
    const input = { method: "POST", path: "/rpc/act", body: Buffer.from("{}") };
    const prefer = "handling=strict, max-affected=9, timezone=Europe/Berlin, return=minimal";
    assert.equal(
      answerTo({ ...input, headers: { prefer } }, plan).headers["preference-applied"],
      "return=minimal, handling=strict, timezone=Europe/Berlin, max-affected=9",
    );
  });

  it("omits tx when it is disabled, and is absent when nothing was applied", () => {
    assert.equal(answerTo({ headers: { prefer: "tx=rollback" } }, readPlan()).headers["preference-applied"], undefined);
    assert.equal(answerTo({}, readPlan()).headers["preference-applied"], undefined);
  });
});

describe("the response settings of the database", () => {
  const raised = (headers: unknown) => answerTo({}, readPlan(), { headers: JSON.stringify(headers) }).headers;

  it("replace status and headers", () => {
    const headers = '[{"Content-Type":"text/html"},{"X-Own":"a\\tb"},{"Set-Cookie":"a=1"},{"set-cookie":"b=2"}]';
    const answer = answerTo({}, readPlan(), { status: "418", headers, parts: ["1"] });
    assert.equal(answer.status, 418);
    assert.equal(answer.body, "[1]");
    assert.partialDeepStrictEqual(answer.headers, {
      "content-type": "text/html",
      "x-own": "a\tb",
      "set-cookie": ["a=1", "b=2"],
      "content-range": "*/*",
    });
  });

  it("omit the body for a status without one", () => {
    for (const status of ["204", "205", "304"]) assert.equal(answerTo({}, readPlan(), { status }).body, null);
  });

  it("cannot set framing, hop-by-hop headers, or the request id", () => {
    const names = ["Content-Length", "Transfer-Encoding", "connection", "Upgrade", "X-Request-Id", "Trailer", "TE"];
    const headers = raised(names.map((name) => ({ [name]: "1" })));
    assert.deepEqual(
      names.filter((name) => name.toLowerCase() in headers),
      [],
    );
  });

  it("are sent as UTF-8", () => {
    assert.equal(raised([{ "x-own": "é" }])["x-own"], "\u00c3\u00a9");
  });

  const bad: readonly unknown[] = [
    {},
    "x",
    null,
    [1],
    [["a", "b"]],
    [{}],
    [{ a: "1", b: "2" }],
    [{ a: 1 }],
    [{ a: null }],
    [{ "": "x" }],
    [{ "a b": "x" }],
    [{ "a:": "x" }],
    [{ "a\r\nb": "x" }],
    [{ a: "x\r\ny: z" }],
    [{ a: "x\ny" }],
    [{ a: "x\u0000" }],
    [{ é: "x" }],
  ];
  for (const headers of bad) {
    it(`are rejected when they are not a list of headers: ${JSON.stringify(headers)}`, () => {
      const { code, status } = rejectionOf(() => raised(headers));
      assert.deepEqual([code, status], ["PGRST111", 500]);
    });
  }

  it("are rejected when they are not JSON", () => {
    assert.equal(rejectionOf(() => answerTo({}, readPlan(), { headers: "[" })).code, "PGRST111");
  });

  for (const status of ["", "abc", "42", "100", "199", "600", "2000", "200 OK", "-200"]) {
    it(`are rejected when the status is invalid: ${status}`, () => {
      assert.deepEqual(
        rejectionOf(() => answerTo({}, readPlan(), { status })),
        { code: "PGRST112", status: 500, message: "response.status guc must be a valid status code", details: null },
      );
    });
  }
});

describe("responses with an execution plan", () => {
  it("contain its lines", () => {
    const media = { contentType: "application/vnd.pgrst.plan+text", body: { kind: "none" }, explain: null } as const;
    const result = { rows: [["Seq Scan"], ["  Filter"]], commandTag: "EXPLAIN", rowCount: 2 };
    assert.deepEqual(buildExplainAnswer(media, result), {
      status: 200,
      headers: { "content-type": "application/vnd.pgrst.plan+text", vary: "Accept, Prefer, Range" },
      body: "Seq Scan\n  Filter",
    });
  });
});
