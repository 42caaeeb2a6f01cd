import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type pg from "pg";
import { quoteCast, quoteIdentifier, quoteLiteral } from "../../src/rest/sql/quote.ts";
import { ask, column, compare, json, openSqlStage, read, shown } from "./sql-stage.ts";
import { ANY_CHARACTER } from "../support/any-character.ts";

const on = openSqlStage("create table holders (id int primary key, document jsonb, name text)");

const TRICKY = [
  "'",
  '"',
  "\\",
  "$1",
  "--",
  "/*",
  ";",
  "->",
  "E'",
  "\n",
  "''",
  '""',
  "\\'",
  "%",
  "é",
  "𝕏",
  "null",
  "select",
];
const text = fc
  .oneof(
    fc.string({ unit: ANY_CHARACTER, maxLength: 15 }),
    fc.array(fc.constantFrom(...TRICKY), { minLength: 1, maxLength: 8 }).map((parts) => parts.join("")),
  )
  .filter((value) => !value.includes("\0"));
const name = text.filter((value) => value !== "" && Buffer.byteLength(value) <= 63);
const RUNS = { numRuns: 300 };

function query(statement: string): Promise<pg.QueryResult> {
  return on.stage.database.owner.query(statement);
}

describe("quoting", () => {
  it("round-trips every name", async () => {
    await fc.assert(
      fc.asyncProperty(name, async (value) => {
        const { fields } = await query(`select 1 as ${quoteIdentifier(value)}`);
        assert.deepEqual(
          fields.map((field) => field.name),
          [value],
        );
      }),
      RUNS,
    );
  });

  for (const setting of ["on", "off"]) {
    it(`round-trips every text with standard_conforming_strings ${setting}`, async (t) => {
      await query(`set standard_conforming_strings = ${setting}; set escape_string_warning = off`);
      t.after(() => query("reset standard_conforming_strings"));
      await fc.assert(
        fc.asyncProperty(text, text, async (one, other) => {
          const { rows } = await query(`select array[${quoteLiteral(one)},${quoteLiteral(other)}]::text[] as found`);
          assert.deepEqual(rows, [{ found: [one, other] }]);
        }),
        RUNS,
      );
    });
  }

  it("rejects names that the database would truncate", () => {
    for (const bad of ["", "n".repeat(64), "é".repeat(32), "a\0b"]) {
      assert.throws(() => quoteIdentifier(bad), { message: /name is empty/ });
    }
    assert.throws(() => quoteLiteral("a\0"));
    assert.equal(quoteIdentifier("é".repeat(31)).length, 33);
  });

  it("allows only types in casts", async () => {
    const casts = {
      INT: "integer",
      "Double  Precision": "double precision",
      char: "character",
      _text: "text[]",
      float: "double precision",
    };
    for (const [cast, expected] of Object.entries(casts)) {
      const { rows } = await query(`select pg_typeof(null::${quoteCast(cast)})::text as found`);
      assert.deepEqual([cast, rows], [cast, [{ found: expected }]]);
    }
    await fc.assert(
      fc.asyncProperty(name, async (cast) => {
        const statement = (() => {
          try {
            return `select null::${quoteCast(cast)}`;
          } catch {
            return null;
          }
        })();
        if (statement === null) return;
        // A name can happen to be that of a type.
        const { rowCount } = await query(`select from pg_type where typname = ${quoteLiteral(cast)}`);
        if (rowCount === 0) await assert.rejects(query(statement), { code: "42704" });
      }),
      { numRuns: 100 },
    );
    assert.match(quoteCast("constructor"), /^"constructor"$/);
  });
});

describe("rendered statements", () => {
  it("never execute a key, alias or value as SQL", async () => {
    const keys = fc.uniqueArray(name, { minLength: 2, maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(keys, text, async ([key = "", alias = ""], value) => {
        await on.stage.database.owner.query("truncate shop.holders");
        await on.stage.database.owner.query(
          "insert into shop.holders values (1, jsonb_build_object($1::text, $2::text), $2)",
          [key, value],
        );
        const asked = ask((bind) =>
          read("holders", {
            outputs: [shown(alias, json("document", `>${key}`)), shown(key, column("id"))],
            where: [compare("name", "eq", bind(value)), compare(json("document", `>${key}`), "eq", bind(value))],
          }),
        );
        const rows = (await on.stage.body(asked)) as Record<string, unknown>[];
        assert.deepEqual(rows.map(Object.entries), [
          Object.entries(
            Object.fromEntries([
              [alias, value],
              [key, 1],
            ]),
          ),
        ]);
      }),
      { numRuns: 100 },
    );
  });
});
