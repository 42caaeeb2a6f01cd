import assert from "node:assert/strict";
import { describe, it } from "node:test";
import pg from "pg";
import { renderError } from "../../src/errors/index.ts";
import { translateDatabaseError } from "../../src/rest/respond/translate-database-error.ts";

interface Raised {
  readonly code: string | undefined;
  readonly message?: string;
  readonly detail?: string;
  readonly hint?: string;
}

function databaseError({ code, message = "the message", detail, hint }: Raised): pg.DatabaseError {
  const error = new pg.DatabaseError(message, 0, "error");
  return Object.assign(error, {
    code,
    detail,
    hint,
    where: "SECRET where",
    internalQuery: "SECRET query",
    file: "SECRET file",
    routine: "SECRET routine",
    schema: "SECRET schema",
  });
}

function errorOf(raised: Raised, isAuthenticated = true) {
  const { status, headers, body } = renderError(translateDatabaseError(databaseError(raised), { isAuthenticated }));
  assert.doesNotMatch(body + JSON.stringify(headers), /SECRET/);
  return { status, headers, body: JSON.parse(body) as Record<string, unknown> };
}

describe("the status of a database error", () => {
  const statuses: Record<string, number> = {
    "08006": 503,
    "09000": 500,
    "0A000": 400,
    "0L000": 403,
    "0P000": 403,
    "21000": 400,
    "22023": 400,
    "22P02": 400,
    "23502": 400,
    "23503": 409,
    "23505": 409,
    "23514": 400,
    "25006": 405,
    "25P02": 500,
    "28000": 403,
    "2D000": 500,
    "38000": 500,
    "39000": 500,
    "3B000": 500,
    "40001": 503,
    "40P01": 503,
    "42601": 400,
    "42703": 400,
    "42883": 404,
    "42P01": 404,
    "42P17": 500,
    "53300": 503,
    "53400": 500,
    "54001": 400,
    "55000": 400,
    "55P03": 503,
    "57014": 504,
    "57P01": 503,
    "57P03": 500,
    "58P01": 500,
    F0000: 500,
    HV000: 500,
    P0001: 400,
    P0002: 500,
    XX000: 500,
    PT402: 402,
    PT404: 404,
    PT511: 511,
    PT100: 500,
    PT204: 500,
    PT999: 500,
    PTabc: 500,
    SB999: 400,
  };
  for (const [code, status] of Object.entries(statuses)) {
    it(`${code}: ${status}`, () => {
      const answer = errorOf({ code });
      assert.equal(answer.status, status);
      assert.equal(answer.body["code"], status === 403 ? "FORBIDDEN" : code);
      assert.equal(answer.headers["proxy-status"], `swarmbase; error=${code}`);
      assert.equal(answer.body["error"], status === 403 ? "Forbidden" : undefined);
    });
  }

  it("is one that clients retry only when the database is unavailable or another transaction is in the way", () => {
    const retried = Object.entries(statuses).filter(([, status]) => status === 503 || status === 520);
    assert.deepEqual(retried.map(([code]) => code).sort(), ["08006", "40001", "40P01", "53300", "55P03", "57P01"]);
  });

  it("is 401 when the role does not exist", () => {
    const { status, headers } = errorOf({ code: "22023", message: 'role "nobody" does not exist' });
    assert.deepEqual([status, headers["www-authenticate"]], [401, "Bearer"]);
  });
});

describe("the texts of a database error", () => {
  it("are passed on", () => {
    const raised = {
      code: "23505",
      message: 'duplicate key value violates unique constraint "things_pkey"',
      detail: "Key (id)=(1) already exists.",
      hint: "Try another.",
    };
    assert.partialDeepStrictEqual(errorOf(raised).body, {
      code: "23505",
      message: raised.message,
      details: raised.detail,
      hint: raised.hint,
    });
    assert.partialDeepStrictEqual(errorOf({ code: "P0001" }).body, { details: null, hint: null });
  });

  for (const code of ["XX000", "XX001", "58030", "58P01", "F0001", undefined]) {
    it(`are hidden for an internal error: ${code}`, () => {
      const { status, body } = errorOf({
        code,
        message: "SECRET message",
        detail: "SECRET detail",
        hint: "SECRET hint",
      });
      assert.equal(status, 500);
      assert.partialDeepStrictEqual(body, { code: code ?? "XX000", details: null, hint: null });
    });
  }

  it("explain a statement timeout", () => {
    const { body } = errorOf({ code: "57014", message: "canceling statement due to statement timeout" });
    assert.equal(body["message"], "canceling statement due to statement timeout");
    assert.match(String(body["hint"]), /statement timeout/);
  });
});

describe("a missing privilege", () => {
  const raised = { code: "42501", message: "permission denied for table things" };

  it("is FORBIDDEN for authenticated callers", () => {
    const { status, headers, body } = errorOf(raised, true);
    assert.equal(status, 403);
    assert.partialDeepStrictEqual(body, { code: "FORBIDDEN", error: "Forbidden", message: raised.message });
    assert.equal(headers["proxy-status"], "swarmbase; error=42501");
  });

  it("is UNAUTHORIZED for anonymous callers", () => {
    const { status, headers, body } = errorOf(raised, false);
    assert.equal(status, 401);
    assert.partialDeepStrictEqual(body, { code: "UNAUTHORIZED", error: "Unauthorized", message: raised.message });
    assert.equal(headers["www-authenticate"], "Bearer");
  });
});

describe("errors that generated statements raise", () => {
  it("contain the number of rows", () => {
    const single = errorOf({ code: "SB116", detail: "2" });
    assert.equal(single.status, 406);
    assert.partialDeepStrictEqual(single.body, {
      code: "PGRST116",
      message: "Cannot coerce the result to a single JSON object",
      details: "The result contains 2 rows",
    });
    const affected = errorOf({ code: "SB124", detail: "12" });
    assert.equal(affected.status, 400);
    assert.partialDeepStrictEqual(affected.body, {
      code: "PGRST124",
      message: "Query result exceeds max-affected preference constraint",
      details: "The query affects 12 rows",
    });
  });

  it("do not trust the detail", () => {
    assert.equal(errorOf({ code: "SB116", detail: "many" }).body["details"], "The result contains 0 rows");
    assert.equal(errorOf({ code: "SB116" }).body["details"], "The result contains 0 rows");
  });
});

describe("errors that functions raise", () => {
  it("keep status, detail and hint of PTxyz", () => {
    const raised = { code: "PT402", message: "Payment Required", detail: "Quota exceeded", hint: "Upgrade your plan" };
    const { status, body } = errorOf(raised);
    assert.equal(status, 402);
    assert.partialDeepStrictEqual(body, {
      code: "PT402",
      message: "Payment Required",
      details: "Quota exceeded",
      hint: "Upgrade your plan",
    });
  });

  const message = JSON.stringify({ code: "own", message: "No tea", details: "d", hint: "h" });
  const detail = JSON.stringify({ status: 418, status_text: "Teapot", headers: { "X-Tea": "none" } });

  it("set the whole response with PGRST", () => {
    const { status, headers, body } = errorOf({ code: "PGRST", message, detail });
    assert.equal(status, 418);
    assert.equal(headers["x-tea"], "none");
    assert.partialDeepStrictEqual(body, { code: "own", message: "No tea", details: "d", hint: "h" });
  });

  it("may omit details and hint", () => {
    const { body } = errorOf({ code: "PGRST", message: '{"code":"1","message":"m","hint":null}', detail });
    assert.partialDeepStrictEqual(body, { code: "1", message: "m", details: null, hint: null });
  });

  it("cannot set framing, the media type or the request id", () => {
    const names = ["Content-Length", "Connection", "Transfer-Encoding", "X-Request-Id"];
    const own = Object.fromEntries([...names, "Content-Type"].map((name) => [name, "1"]));
    const { headers } = errorOf({ code: "PGRST", message, detail: JSON.stringify({ status: 400, headers: own }) });
    assert.deepEqual(
      names.filter((name) => name.toLowerCase() in headers),
      [],
    );
    assert.equal(headers["content-type"], "application/json; charset=utf-8");
  });

  const unreadable: readonly [message: string, detail: string | undefined, details: RegExp][] = [
    ["INVALID", detail, /^Invalid JSON value for MESSAGE: 'INVALID'$/],
    ["[]", detail, /^Invalid JSON value for MESSAGE/],
    ['{"message":"no code"}', detail, /^Invalid JSON value for MESSAGE/],
    ['{"code":"1","message":"m","hint":3}', detail, /^Invalid JSON value for MESSAGE/],
    [message, undefined, /^DETAIL is missing in the RAISE statement$/],
    [message, "INVALID", /^Invalid JSON value for DETAIL: 'INVALID'$/],
    [message, '{"status":400}', /^Invalid JSON value for DETAIL/],
    [message, '{"headers":{}}', /^Invalid JSON value for DETAIL/],
    [message, '{"status":"400","headers":{}}', /^Invalid JSON value for DETAIL/],
    [message, '{"status":99,"headers":{}}', /^Invalid JSON value for DETAIL/],
    [message, '{"status":304,"headers":{}}', /^Invalid JSON value for DETAIL/],
    [message, '{"status":400,"headers":{"a":1}}', /^Invalid JSON value for DETAIL/],
    [message, '{"status":400,"headers":{"a":"b\\r\\nc: d"}}', /^Invalid JSON value for DETAIL/],
  ];
  for (const [text, about, details] of unreadable) {
    it(`are rejected when they are invalid: ${text} ${about}`, () => {
      const raised =
        about === undefined ? { code: "PGRST", message: text } : { code: "PGRST", message: text, detail: about };
      const { status, body } = errorOf(raised);
      assert.equal(status, 500);
      assert.equal(body["code"], "PGRST121");
      assert.equal(body["message"], `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`);
      assert.match(String(body["details"]), details);
      assert.match(String(body["hint"]), /must be a JSON object with obligatory keys/);
    });
  }
});
