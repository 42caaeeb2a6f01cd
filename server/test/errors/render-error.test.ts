import assert from "node:assert/strict";
import { test } from "node:test";
import { ERROR_CODES, type ErrorCode } from "@swarmbase/sdk";
import fc from "fast-check";
import { AppError, renderError, toAppError, withShortText } from "../../src/errors/index.ts";
import { ANY_CHARACTER } from "../support/any-character.ts";

const parse = (error: unknown) => {
  const { status, headers, body } = renderError(error);
  return { status, headers, body: JSON.parse(body) as Record<string, unknown> };
};
const codes = Object.keys(ERROR_CODES) as ErrorCode[];

test("7.1 a 401 has error, code and message, and says how to authenticate", () => {
  const { status, headers, body } = parse(new AppError("UNAUTHORIZED", "JWT expired", { upstreamCode: "PGRST303" }));
  assert.equal(status, 401);
  assert.deepEqual(body, {
    error: "Unauthorized",
    code: "UNAUTHORIZED",
    message: "JWT expired",
    details: null,
    hint: null,
  });
  assert.equal(headers["www-authenticate"], 'Bearer error="invalid_token", error_description="JWT expired"');
  assert.equal(headers["proxy-status"], "swarmbase; error=PGRST303");
  assert.equal(parse(new AppError("UNAUTHORIZED", "No token")).headers["www-authenticate"], "Bearer");
});

test("7.1 a 429 has retry_after and Retry-After", () => {
  const { status, headers, body } = parse(new AppError("RATE_LIMITED", "Slow down", { retryAfterSeconds: 12.2 }));
  assert.equal(status, 429);
  assert.equal(body["retry_after"], 13);
  assert.equal(headers["retry-after"], "13");
  assert.equal(parse(new AppError("RATE_LIMITED", "Slow down")).body["retry_after"], 60);
});

test("7.2 a validation error is readable in both places", () => {
  const details = { name: "must not be empty", "settings.temperature": "must be at most 2" };
  const errors = [{ field: "framework", code: "INVALID_FRAMEWORK" }];
  const { status, body } = parse(new AppError("VALIDATION_ERROR", "The agent is not valid", { details, errors }));
  assert.equal(status, 400);
  assert.deepEqual(body, {
    data: null,
    error: { code: "VALIDATION_ERROR", message: "The agent is not valid", details },
    code: "VALIDATION_ERROR",
    message: "The agent is not valid",
    details,
    hint: null,
    errors,
  });
});

test("7.3 each code has its status and its short text", () => {
  for (const code of codes) {
    const { status, body } = parse(new AppError(code, "text"));
    assert.equal(status, ERROR_CODES[code].status);
    assert.equal(body["code"], code);
    if (code !== "VALIDATION_ERROR") assert.equal(body["error"], ERROR_CODES[code].error);
  }
});

test("an error of PostgreSQL without a code of the service keeps its SQLSTATE and status", () => {
  const foreign = { code: "23505", status: 409 };
  const error = new AppError("BAD_REQUEST", "duplicate key", { foreign, details: "Key exists." });
  const { status, body } = parse(error);
  const four = { code: "23505", message: "duplicate key", details: "Key exists.", hint: null };
  assert.deepEqual([status, body], [409, four]);
  assert.deepEqual(parse(withShortText(error)).body, { error: "Conflict", ...four });
  const own = new AppError("FORBIDDEN", "no");
  assert.equal(withShortText(own), own);
});

test("further members cannot replace those of every error", () => {
  const members = { code: "other", error_code: "bad_jwt" };
  const { body } = parse(new AppError("UNAUTHORIZED", "text", { members }));
  assert.equal(body["code"], "UNAUTHORIZED");
  assert.equal(body["error_code"], "bad_jwt");
});

test("503 SERVICE_UNAVAILABLE always carries Retry-After", () => {
  assert.equal(parse(new AppError("SERVICE_UNAVAILABLE", "text")).headers["retry-after"], "1");
  const later = new AppError("SERVICE_UNAVAILABLE", "text", { retryAfterSeconds: 7 });
  assert.equal(parse(later).headers["retry-after"], "7");
});

test("an unknown error becomes INTERNAL_ERROR and keeps its cause for the log", () => {
  const fault = new Error("boom");
  assert.equal(toAppError(fault).code, "INTERNAL_ERROR");
  assert.equal(toAppError(fault).cause, fault);
  const known = new AppError("FORBIDDEN", "no");
  assert.equal(toAppError(known), known);
});

const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;
const hostile = new Proxy(
  {},
  {
    get: () => {
      throw new Error("trap");
    },
    getPrototypeOf: () => {
      throw new Error("trap");
    },
  },
);
const marker = "tell-tale";
const thrown = fc.oneof(
  fc.anything(),
  fc.constantFrom<unknown>(null, undefined, cyclic, hostile, Symbol(marker), 10n, () => marker),
  fc.string().map((text) => `${marker} ${text}`),
  fc
    .constantFrom(`select * from private.users where '${marker}'`, `ENOENT: /srv/${marker}/credentials.json`, marker)
    .map((text) => Object.assign(new Error(text), { detail: text, code: "23505", statusCode: 400, cause: cyclic })),
);

test("for anything that is thrown, the body is JSON with the five members and reveals nothing of it", () => {
  fc.assert(
    fc.property(thrown, (error) => {
      const { status, headers, body } = renderError(error);
      const parsed = JSON.parse(body) as Record<string, unknown>;
      assert.deepEqual(Object.keys(parsed).sort(), ["code", "details", "error", "hint", "message"]);
      assert.equal(status, 500);
      assert.equal(body, renderError(new Error("another")).body);
      assert.ok(!JSON.stringify(headers).includes(marker));
    }),
    { numRuns: 300 },
  );
});

test("for any AppError, status and headers can be sent and the body is JSON with the five members", () => {
  const extra = fc.record(
    {
      details: fc.oneof(fc.string(), fc.dictionary(fc.string(), fc.string())),
      hint: fc.string(),
      headers: fc.dictionary(fc.string(), fc.string({ unit: ANY_CHARACTER })),
      retryAfterSeconds: fc.double(),
      upstreamCode: fc.string({ unit: ANY_CHARACTER }),
      members: fc.constantFrom<Record<string, unknown>>({}, cyclic, { big: 1n }, { ok: true }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.constantFrom(...codes), fc.string({ unit: ANY_CHARACTER }), extra, (code, message, fields) => {
      const { status, headers, body } = renderError(new AppError(code, message, fields));
      assert.ok(status >= 400 && status < 600);
      new Headers(headers);
      const parsed = JSON.parse(body) as Record<string, unknown>;
      for (const member of ["code", "message", "details", "hint", "error"]) assert.ok(member in parsed, member);
    }),
    { numRuns: 300 },
  );
});

test("an error names the page that explains its code, if there is one", () => {
  const help = new Map<string | null, string>([
    ["SWARM_BUSY", '</errors#swarm_busy>; rel="help"'],
    ["BAD_REQUEST", '</errors#bad_request>; rel="help"'],
    ["weak_password", '</accounts#weak_password>; rel="help"'],
    [null, '</tables>; rel="help"'],
  ]);
  const linkOf = (error: AppError) => renderError(error, help).headers["link"];
  assert.equal(linkOf(new AppError("SWARM_BUSY", "Busy")), '</errors#swarm_busy>; rel="help"');
  const foreign = { code: "weak_password", status: 422 };
  const members = { error_code: "weak_password" };
  assert.equal(
    linkOf(new AppError("BAD_REQUEST", "Weak", { foreign, members })),
    '</accounts#weak_password>; rel="help"',
  );
  const unknown = { error_code: "unknown" };
  assert.equal(linkOf(new AppError("SWARM_BUSY", "Busy", { members: unknown })), '</errors#swarm_busy>; rel="help"');
  assert.equal(
    linkOf(new AppError("BAD_REQUEST", "No table", { foreign: { code: "PGRST205", status: 404 } })),
    '</tables>; rel="help"',
  );
  assert.equal(linkOf(new AppError("NO_AGENTS", "None")), undefined);
  assert.equal(renderError(new AppError("SWARM_BUSY", "Busy")).headers["link"], undefined);
});
