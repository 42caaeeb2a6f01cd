import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { findProgram } from "../check-run.ts";

// The configuration of third-party tools is a guard too: each tool runs with it on a file that it must reject.

const repository = join(import.meta.dirname, "../..");
const CONFIGURATION = [".oxlintrc.json", "biome.json", "knip.json", "tsconfig.json", "package.json"];

describe("the configured tools", () => {
  let root = "";

  before(async () => {
    root = await mkdtemp(join(tmpdir(), "swarmbase-guards-"));
    for (const name of CONFIGURATION) await cp(join(repository, name), join(root, name));
    for (const workspace of ["clients/sdk", "server", "acceptance", "tools"]) await copyPackage(workspace);
    await symlink(join(repository, "node_modules"), join(root, "node_modules"), "dir");
  });
  after(() => rm(root, { recursive: true }));

  async function write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }

  async function copyPackage(workspace: string): Promise<void> {
    await cp(join(repository, workspace, "package.json"), join(root, workspace, "package.json"));
  }

  /** Exit code and output, also on failure. */
  function run(
    packageName: string,
    program: string,
    args: readonly string[],
  ): Promise<{ code: unknown; output: string }> {
    return new Promise((done) => {
      execFile(
        process.execPath,
        [findProgram(repository, packageName, program), ...args],
        { cwd: root },
        (error, stdout, stderr) => done({ code: error?.code ?? 0, output: stdout + stderr }),
      );
    });
  }

  const lintCases: Record<string, string> = {
    "typescript(no-floating-promises)": "export function f(): void { Promise.resolve(1); }",
    "typescript(no-misused-promises)":
      "export const f = (): void => { [1].forEach(async () => { await Promise.resolve(); }); };",
    "typescript(await-thenable)": "export async function f(): Promise<void> { await 1; }",
    "typescript(switch-exhaustiveness-check)":
      'export function f(x: "a" | "b"): number { switch (x) { case "a": return 1; } return 2; }',
    "typescript(no-explicit-any)": "export const f = (x: any): unknown => [x];",
    "typescript(no-unsafe-return)": 'export const f = (): string => JSON.parse("1");',
    "typescript(no-non-null-assertion)": "export const f = (x: string | null): string => x!;",
    "typescript(only-throw-error)": 'export function f(): void { throw "no"; }',
    "typescript(consistent-type-imports)":
      'import { Stats } from "node:fs";\nexport const f = (x: Stats): unknown => x;',
    "import(no-default-export)": "export default 1;",
    "eslint(eqeqeq)": "export const f = (x: unknown): boolean => x == 1;",
    "eslint(no-console)": 'export const f = (): void => console.log("x");',
    "eslint(no-unused-vars)": "export const f = (): number => { const unused = 1; return 2; };",
  };

  it("lint reports a violation of every configured rule, and accepts floating promises of node:test", async () => {
    const names = Object.keys(lintCases);
    for (const [index, rule] of names.entries()) await write(`server/src/case-${index}.ts`, `${lintCases[rule]}\n`);
    await write(
      "server/test/good.test.ts",
      'import { describe, it } from "node:test";\ndescribe("a", () => { it("b", () => {}); });\n',
    );
    const { code, output } = await run("oxlint", "oxlint", ["--format=unix"]);
    await rm(join(root, "server"), { recursive: true });
    await copyPackage("server");
    assert.equal(code, 1);
    for (const [index, rule] of names.entries()) {
      const found = output.split("\n").filter((line) => line.includes(`case-${index}.ts`));
      assert.ok(
        found.some((line) => line.includes(rule)),
        `${rule} is not among:\n${found.join("\n")}`,
      );
    }
    assert.doesNotMatch(output, /good\.test\.ts/);
  });

  it("format reports an unformatted file, and ignores lock files and generated files", async () => {
    await write("clients/sdk/src/index.ts", "export const a = 'b'\n");
    await write("package-lock.json", '{"a":1}');
    await write("clients/sdk/dist/index.js", "export const a = 'b'");
    const bad = await run("@biomejs/biome", "biome", ["format", "clients", "package-lock.json"]);
    assert.equal(bad.code, 1);
    assert.match(bad.output, /sdk\/src\/index\.ts/);
    assert.doesNotMatch(bad.output, /sdk\/dist|package-lock/);
    await write("clients/sdk/src/index.ts", 'export const a = "b";\n');
    assert.equal((await run("@biomejs/biome", "biome", ["format", "clients/sdk/src"])).code, 0);
  });

  it("the type checker rejects an unchecked index and syntax that cannot be erased", async () => {
    await write(
      "clients/sdk/src/index.ts",
      "export const first = (xs: string[]): string => xs[0];\nexport enum E {\n  A,\n}\n",
    );
    const { code, output } = await run("typescript", "tsc", ["--project", "."]);
    await write("clients/sdk/src/index.ts", 'export const a = "b";\n');
    assert.notEqual(code, 0);
    assert.match(output, /index\.ts\(1,\d+\): error TS2322/);
    assert.match(output, /index\.ts\(2,\d+\): error TS1294/);
  });

  it("knip finds a dead file, a dead export and a dependency that is not listed", async () => {
    await write("server/bin/swarmbase.js", 'await import("../src/main.ts");\n');
    await write("server/src/main.ts", 'import { used } from "./app.ts";\nimport "safe-regex2";\nused();\n');
    await write("server/src/app.ts", "export const used = (): void => {};\nexport const dead = 1;\n");
    await write("server/src/forgotten.ts", "export const forgotten = 1;\n");
    const { code, output } = await run("knip", "knip", ["--no-progress", "--no-config-hints"]);
    assert.equal(code, 1);
    assert.match(output, /Unused files[^]*server\/src\/forgotten\.ts/);
    assert.match(output, /Unused exports[^]*dead {2,}server\/src\/app\.ts/);
    assert.match(output, /Unlisted dependencies[^]*safe-regex2/);
    assert.doesNotMatch(output, /^used /m);
  });
});
