import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { runHere } from "../../../server/test/support/run-here.ts";
import { startService } from "../../../server/test/support/service.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";

// `supabase gen types` of the Supabase CLI, from the npm registry, beside `swarmbase gen types` on the same database. The guide
// docs/guides/tables.md says what this shows.

const CLI = "supabase@3.1.0";
const REPOSITORY = resolve(import.meta.dirname, "../../..");
const run = promisify(execFile);
const readFixture = (name: string): Promise<string> => readFile(new URL(`fixtures/${name}`, import.meta.url), "utf8");

/** Compiles only if both files have the same tables, views, columns, functions, arguments and enumerations. */
const COMPARISON = `import type { Database as Supabase } from "./supabase-database.ts";
import type { Database as Swarmbase } from "./swarmbase-database.ts";

type Schema = Record<"Tables" | "Views" | "Functions" | "Enums", object>;
type Both = { public: Schema; shop: Schema };
type Columns<Relation> = Relation extends { Row: infer Row; ComputedFields: infer Computed }
  ? Exclude<keyof Row, Computed>
  : Relation extends { Row: infer Row } ? keyof Row : never;
type Arguments<Called> = Called extends { Args: infer Args } ? (string extends keyof Args ? never : keyof Args) : never;
type Named<D extends Both> = {
  [S in keyof Both]: {
    tables: { [T in keyof D[S]["Tables"]]: Columns<D[S]["Tables"][T]> };
    views: { [T in keyof D[S]["Views"]]: Columns<D[S]["Views"][T]> };
    functions: keyof D[S]["Functions"];
    enums: D[S]["Enums"];
  };
};
type Called<D extends Both> = { [F in "count_notes" | "search_notes"]: Arguments<D["public"]["Functions"][F & keyof D["public"]["Functions"]]> };
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Flat<T> = { [K in keyof T]: T[K] };

declare const ours: Named<Swarmbase>;
declare const theirs: Named<Supabase>;
export const oneWay: Named<Supabase> = ours;
export const otherWay: Named<Swarmbase> = theirs;
export const areArgumentsSame: Same<Flat<Called<Supabase>>, Flat<Called<Swarmbase>>> = true;
`;

const COMPILER_OPTIONS = {
  target: "es2024",
  lib: ["es2024"],
  module: "nodenext",
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  customConditions: ["swarmbase-source"],
  types: ["node"],
};

describe("supabase gen types", () => {
  let folder = "";
  let databaseUrl = "";
  let env: Record<string, string> = {};
  const closings: (() => Promise<void>)[] = [];
  const save = (path: string, text: string): Promise<void> => writeFile(join(folder, path), text);

  before(async () => {
    const cleanup = { after: (close: () => Promise<void>) => void closings.unshift(close) };
    folder = await createTemporaryFolder(cleanup, "swarmbase-types-");
    env = { DATA_DIR: join(folder, ".swarmbase"), HOME: folder };
    const service = await startService(cleanup, { dataDir: join(folder, ".swarmbase") });
    databaseUrl = service.credentials.database_url;
    const { code, stderr } = await runHere(["sql", fileURLToPath(new URL("fixtures/app.sql", import.meta.url))], env);
    assert.equal(code, 0, stderr);
    await mkdir(join(folder, "cli"));
    await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", join(folder, "cli"), CLI]);
  });
  after(async () => {
    for (const close of closings) await close();
  });

  async function generate(language: string, schemas: string): Promise<string> {
    const program = join(folder, "cli/node_modules/.bin/supabase");
    const args = ["gen", "types", `--lang=${language}`, `--schema=${schemas}`, `--remote=${databaseUrl}`];
    const { stdout } = await run(program, args, {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder, PGSSLMODE: "disable", DO_NOT_TRACK: "1" },
      maxBuffer: 2 ** 24,
    });
    return stdout;
  }

  it("writes TypeScript that supabase-js accepts and that agrees with swarmbase gen types", async () => {
    const ours = join(folder, "swarmbase-database.ts");
    const written = await runHere(["gen", "types", "--schema", "public", "--schema", "shop", "--out", ours], env);
    assert.equal(written.code, 0, written.stderr);
    await save("supabase-database.ts", await generate("typescript", "public,shop"));
    await save("compare.ts", COMPARISON);
    const use = await readFixture("use-app-database.ts");
    await save("use.ts", use.replace("./app-database.ts", "./supabase-database.ts"));
    await save("package.json", '{ "type": "module" }');
    const config = { compilerOptions: COMPILER_OPTIONS, files: ["compare.ts", "use.ts"] };
    await save("tsconfig.json", JSON.stringify(config));
    await symlink(join(REPOSITORY, "node_modules"), join(folder, "node_modules"));
    const compile = () => spawnSync("tsc", ["-p", folder], { encoding: "utf8" }).stdout;
    assert.equal(compile(), "");

    // The comparison notices a column that one of them lacks.
    const text = await readFile(ours, "utf8");
    await writeFile(ours, text.replace("          place: number;\n", ""));
    assert.match(compile(), /compare\.ts.*\n.*public\.tables\.notes/);
  });

  it("writes Go that compiles", { skip: isMissing("go", ["version"]) && "go is not installed" }, async () => {
    await mkdir(join(folder, "go"));
    await save("go/types.go", await generate("go", "public"));
    await save("go/go.mod", "module database\n\ngo 1.21\n");
    await run("go", ["vet", "./..."], { cwd: join(folder, "go") });
  });

  const python = process.env["PYTHON"] ?? "python3";
  const noPydantic =
    isMissing(python, ["-c", "import pydantic"]) && `${python} with the package pydantic is not installed`;
  it("writes Python that reads the rows of the service", { skip: noPydantic }, async () => {
    await save("database.py", await generate("python", "public"));
    const row = { id: crypto.randomUUID(), text: "one" };
    const program = `import database; print(database.PublicNoteTexts.model_validate_json('${JSON.stringify(row)}').text)`;
    assert.equal((await run(python, ["-c", program], { cwd: folder })).stdout, "one\n");
  });
});

function isMissing(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status !== 0;
}
