import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import pg from "pg";
import { withDatabase, withRole } from "../../src/db/connection.ts";

/** What the driver makes of a connection string is what counts. */
function parse(url: string) {
  const { host, port, user, password, database, ssl } = new pg.Client({ connectionString: url });
  return { host, port, user, password, database, ssl };
}

const CASES: [string, { host: string; port: number; database: string }][] = [
  ["postgresql://u:p@localhost:5433/db", { host: "localhost", port: 5433, database: "db" }],
  ["postgres://db.example.com/db", { host: "db.example.com", port: 5432, database: "db" }],
  ["postgresql://u:p@localhost:5433/db?host=/run/sb", { host: "/run/sb", port: 5433, database: "db" }],
  ["postgresql:///db?host=/run/sb", { host: "/run/sb", port: 5432, database: "db" }],
  ["postgresql://u:p@/db?host=/run/sb&port=6000", { host: "/run/sb", port: 6000, database: "db" }],
  ["postgresql://u@%2Frun%2Fsb/db", { host: "/run/sb", port: 5432, database: "db" }],
  ["postgresql://u:p@[::1]:5433/db", { host: "::1", port: 5433, database: "db" }],
  ["postgresql://u:p@localhost/db?user=x&password=y", { host: "localhost", port: 5432, database: "db" }],
];

test("withRole keeps the address and replaces user and password", () => {
  for (const [url, place] of CASES) {
    const { user, password, ...rest } = parse(withRole(url, "sb_user", "pass"));
    assert.deepEqual({ user, password }, { user: "sb_user", password: "pass" }, url);
    assert.deepEqual({ host: rest.host, port: rest.port, database: rest.database }, place, url);
  }
});

test("any user and password reach the driver unchanged", () => {
  const text = fc.string({ minLength: 1, unit: "grapheme" });
  fc.assert(
    fc.property(text, text, (user, password) => {
      const parsed = parse(withRole("postgresql://old:p%40w@localhost/db?host=/run/x", user, password));
      assert.deepEqual({ user: parsed.user, password: parsed.password }, { user, password });
      assert.equal(parsed.host, "/run/x");
    }),
  );
});

test("withRole keeps other parameters", () => {
  const url = withRole("postgresql://u:p@localhost/db?sslmode=no-verify&application_name=x", "a", "b");
  assert.equal(new URL(url).searchParams.get("application_name"), "x");
  assert.deepEqual(parse(url).ssl, { rejectUnauthorized: false });
});

test("withDatabase keeps the address and the role", () => {
  for (const [url, { host, port }] of CASES) {
    const before = parse(url);
    const after = parse(withDatabase(url, "other"));
    assert.deepEqual(after, { ...before, host, port, database: "other" }, url);
  }
});

test("an invalid connection string is rejected without repeating it", () => {
  for (const url of ["", "localhost", "mysql://u:secret@h/db", "postgresql://u:secret@h:notaport/db"]) {
    assert.throws(
      () => withRole(url, "a", "b"),
      (error: unknown) => error instanceof TypeError && !error.message.includes("secret"),
      url,
    );
  }
});
