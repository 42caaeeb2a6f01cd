import assert from "node:assert/strict";
import { describe, test } from "node:test";
import pg from "pg";
import { renderExpanded, renderTable } from "../src/shell/render-table.ts";
import { describeError } from "../src/statements/describe-error.ts";

const CELLS = {
  columns: [
    { name: "name", isNumber: false },
    { name: "n", isNumber: true },
  ],
  rows: [
    ["Ada\nLovelace", "1"],
    ["日本", "1000"],
    [null, "\u001b[2J"],
  ],
};

describe("tables", () => {
  test("align columns by what a terminal shows, and write control characters out", () => {
    assert.equal(
      renderTable(CELLS),
      [
        " name     |       n",
        "----------+---------",
        " Ada     +|       1",
        " Lovelace |",
        " 日本     |    1000",
        " NULL     | \\x1b[2J",
        "(3 rows)",
        "",
      ].join("\n"),
    );
  });

  test("show one value on each line when they are expanded", () => {
    assert.equal(
      renderExpanded({ ...CELLS, rows: CELLS.rows.slice(0, 1) }),
      ["-[ RECORD 1 ]----", "name | Ada", "     | Lovelace", "n    | 1", "(1 row)", ""].join("\n"),
    );
  });

  test("have as many rows as there are", () => {
    const rows = Array.from({ length: 150_000 }, () => ["x"]);
    assert.match(renderTable({ columns: CELLS.columns.slice(0, 1), rows }), /\n\(150000 rows\)\n$/);
  });
});

describe("errors", () => {
  const errorAt = (position: string | undefined): pg.DatabaseError =>
    Object.assign(new pg.DatabaseError("no such thing", 0, "error"), {
      severity: "ERROR",
      code: "42P01",
      hint: "look elsewhere",
      ...(position !== undefined && { position }),
    });

  test("show the line and the position in the file", () => {
    const text = "select 1;\nselect '😀',\n  nothing;\n";
    assert.equal(
      describeError(errorAt("15"), { name: "a.sql", text, start: 10 }),
      "a.sql:3:3: ERROR: no such thing (42P01)\nLINE 3:   nothing;\n          ^\nHINT: look elsewhere",
    );
  });

  test("without a position name the line of the statement", () => {
    assert.equal(
      describeError(errorAt(undefined), { name: "a.sql", text: "select 1;\nselect 2", start: 10 }),
      "a.sql:2: ERROR: no such thing (42P01)\nHINT: look elsewhere",
    );
    assert.equal(describeError(new Error("gone"), { name: null, text: "", start: 0 }), "gone");
  });
});
