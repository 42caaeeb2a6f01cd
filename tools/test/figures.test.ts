import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseSourceFile } from "../architecture/source-file.ts";
import { countLines } from "../figures/count-lines.ts";
import { listFunctions } from "../figures/list-functions.ts";

describe("figures", () => {
  it("count lines by top folder, without tests and generated files", () => {
    const texts = new Map([
      ["server/src/a.ts", "1\n2\n"],
      ["server/sql/b.sql", "1\n"],
      ["server/test/a.test.ts", "1\n"],
      ["server/readme.md", "1\n"],
      ["sdk/src/generated.ts", '// Written by "npm run generate"\n'],
      ["tools/check.ts", "1\n"],
    ]);
    assert.deepEqual(countLines(texts), [
      { folder: "server", isProduct: true, files: 2, lines: 3 },
      { folder: "tools", isProduct: false, files: 1, lines: 1 },
    ]);
  });

  it("list named functions with their lines", () => {
    const text = "function a() {\n  return 1;\n}\nconst b = () =>\n  2;\nclass C {\n  d() {}\n}\n";
    assert.deepEqual(
      listFunctions(parseSourceFile("x.ts", text)).map(({ name, lines }) => [name, lines]),
      [
        ["a", 3],
        ["b", 2],
        ["d", 1],
      ],
    );
  });
});
