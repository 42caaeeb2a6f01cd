import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { splitFile, splitStatements } from "../src/statements/split-statements.ts";

const texts = (source: string): string[] => splitFile(source).map(({ text }) => text);

describe("splitting SQL", () => {
  const cases: [title: string, source: string, expected: string[]][] = [
    ["statements", "select 1; select 2;", ["select 1", "select 2"]],
    ["the last one without a semicolon", "select 1;\nselect 2\n", ["select 1", "select 2"]],
    ["a last comment instead of a statement", "select 1; -- done", ["select 1"]],
    ["a comment after the last statement", "select 1 -- done", ["select 1 -- done"]],
    ["empty statements", ";; ;", []],
    ["strings", "select ';', 'it''s;', '\\'; select 2", ["select ';', 'it''s;', '\\'", "select 2"]],
    ["escape strings", "select e'\\';', E';'; select 2", ["select e'\\';', E';'", "select 2"]],
    ["quoted names", 'select ";"";"; select 2', ['select ";"";"', "select 2"]],
    ["dollar quotes", "do $$ a; $b$ ; $$; do $b$ $$; $b$", ["do $$ a; $b$ ; $$", "do $b$ $$; $b$"]],
    ["parameters and names with a dollar sign", "select $1, a$b$c; select 2", ["select $1, a$b$c", "select 2"]],
    ["comments", "select /* ; /* ; */ ; */ 1 -- ;\n; select 2", ["select /* ; /* ; */ ; */ 1 -- ;", "select 2"]],
    [
      "parentheses",
      "create rule r as on insert to t do (select 1; select 2); select 3",
      ["create rule r as on insert to t do (select 1; select 2)", "select 3"],
    ],
    [
      "bodies of SQL functions",
      "create or replace function f() returns int begin atomic select case when true then 1 end; select 2; end; select 3",
      [
        "create or replace function f() returns int begin atomic select case when true then 1 end; select 2; end",
        "select 3",
      ],
    ],
    ["transactions", "begin; select 1; end; select 2", ["begin", "select 1", "end", "select 2"]],
    ["backslash commands", "select 1;\n\\i a b.sql\nselect 2;\n  \\q", ["select 1", "\\i a b.sql", "select 2", "\\q"]],
    ["strings without an end", "select 1; select 'abc", ["select 1", "select 'abc"]],
  ];
  for (const [title, source, expected] of cases) test(title, () => assert.deepEqual(texts(source), expected));

  test("keeps offsets and first words", () => {
    const source = "-- note\n select 1;\n\n CREATE Table t ();";
    const parts = splitFile(source);
    assert.deepEqual(
      parts.map(({ start, text }) => source.slice(start, start + text.length) === text),
      [true, true],
    );
    assert.deepEqual(
      parts.map(({ words }) => words),
      [["select"], ["create", "table", "t"]],
    );
  });

  test("reports a statement that is not finished, for a shell", () => {
    assert.equal(splitStatements("select 1; ").restAt, null);
    assert.equal(splitStatements("select 1; -- x\n").restAt, null);
    for (const rest of ["select", "select 'a", "select $$ ;", "/* ;", 'select "a'])
      assert.equal(splitStatements(`select 1; ${rest}`).restAt, 10, rest);
  });
});
