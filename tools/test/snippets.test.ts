import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compareOutput } from "../documents/compare-output.ts";
import { readSnippets } from "../documents/read-snippets.ts";

const PAGE = [
  "# Page",
  "```js",
  "// a.mjs",
  "1;",
  "```",
  "```sh",
  "rm",
  "```",
  "```sql",
  "select 1;",
  "```",
  "```sql",
  "-- migrations/0001_a.sql",
  "select 2;",
  "```",
  "```yaml",
  "part: 1",
  "```",
  "```yaml",
  "# agents/a.yaml",
  "key: a",
  "```",
  "```python",
  "# b.py",
  "2",
  "```",
  "```go",
  "// c.go",
  "package c",
  "```",
  "```console",
  "$ one \\",
  "    two",
  "x",
  "",
  "y",
  "$ three",
  "```",
];

describe("readSnippets", () => {
  it("returns files and commands with their output, in order, and ignores other blocks", () => {
    assert.deepEqual(readSnippets(PAGE.join("\n")), [
      { kind: "file", line: 2, name: "a.mjs", text: "// a.mjs\n1;\n" },
      { kind: "file", line: 12, name: "migrations/0001_a.sql", text: "-- migrations/0001_a.sql\nselect 2;\n" },
      { kind: "file", line: 19, name: "agents/a.yaml", text: "# agents/a.yaml\nkey: a\n" },
      { kind: "file", line: 23, name: "b.py", text: "# b.py\n2\n" },
      { kind: "file", line: 27, name: "c.go", text: "// c.go\npackage c\n" },
      {
        kind: "console",
        line: 31,
        commands: [
          { text: "one \\\n    two", output: ["x", "", "y"] },
          { text: "three", output: [] },
        ],
      },
    ]);
  });

  it("rejects blocks that cannot be run", () => {
    assert.throws(() => readSnippets("```js\n1;\n```"), /line 1/);
    assert.throws(() => readSnippets("\n```console\noutput\n```"), /line 2/);
  });
});

describe("compareOutput", () => {
  const cases: [string, string[], string, boolean][] = [
    ["the same lines", ["a", "b"], "a\nb\n", true],
    ["another word", ["a", "b"], "a\nc\n", false],
    ["a line too many", ["a"], "a\nb\n", false],
    ["a line too few", ["a", "b"], "a\n", false],
    ["a part left out", ["a …, c"], "a b, c", true],
    ["a part left out, and the rest wrong", ["a …, c"], "a b, d", false],
    ["lines left out", ["…", "c", "…"], "a\nb\nc\nd", true],
    ["lines left out, and one missing", ["…", "x", "…"], "a\nb", false],
    ["lines in another order", ["…", "b", "…", "a"], "a\nb", false],
    ["another id", ["id 01a1df08-9751-7013-b82e-db7e0071bee4"], "id 01a1df08-9751-7013-b82e-db7e0071bee5", true],
    [
      "another id behind a prefix",
      ["evt_01a1df08-9751-7013-b82e-db7e0071bee4"],
      "evt_01a1df08-0000-7013-b82e-db7e0071bee4",
      true,
    ],
    ["no id", ["id 01a1df08-9751-7013-b82e-db7e0071bee4"], "id null", false],
    [
      "another time, duration, port and hash",
      ["2026-11-15T11:51:37.7+00:00 1.5 s https://localhost:8443/ (1 message; 1f4a7674)"],
      "2027-01-01T00:00:00Z 12 s https://localhost:1/ (1 message; 00000000)",
      true,
    ],
    ["another number", ["3 messages"], "4 messages", false],
    ["signs that mean something in a pattern", ["(a|b)* [x] $1"], "(a|b)* [x] $1", true],
    ["signs that mean something in a pattern, taken at their word", ["a.c"], "abc", false],
  ];
  for (const [what, printed, real, isSame] of cases) {
    it(`${isSame ? "accepts" : "rejects"} ${what}`, () => {
      const difference = compareOutput(printed, real);
      assert.equal(difference === null, isSame, difference ?? "no difference was found");
    });
  }
});
