import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { createTestDatabase } from "../../server/test/support/database.ts";
import { createTemporaryFolder } from "../../server/test/support/temporary-folder.ts";
import { isOwnPackage } from "../architecture/modules.ts";
import { findProgram } from "../check-run.ts";
import { type Block, listBlocks } from "../documents/check-blocks.ts";
import { readTexts } from "../read-texts.ts";

// Blocks of pages that no other test runs: TypeScript is compiled, SQL is run and undone, and a shell reads commands.

const ROOT = resolve(import.meta.dirname, "../..");
const PAGES = readTexts(ROOT, ["**/*.md"]);

function blocksOf(...languages: readonly string[]): readonly (Block & { readonly path: string })[] {
  const found = [...PAGES].flatMap(([path, page]) => listBlocks(page).map((block) => ({ ...block, path })));
  return found.filter(({ language }) => languages.includes(language));
}

/** Of TypeScript, for names that a page assumes, such as `supabase`, and for what depends on them. */
const ASSUMED_NAMES: ReadonlySet<string> = new Set(["TS2304", "TS2552", "TS18004"]);
const MISSING_MODULE = "TS2307";
const COMPILER_ERROR = /^(\S+?)\((\d+),\d+\): error (TS\d+): (.*)$/gm;

test("TypeScript of the pages uses our packages as they are", async (t) => {
  const folder = await createTemporaryFolder(t, "swarmbase-blocks-");
  const config = {
    extends: join(ROOT, "tsconfig.json"),
    compilerOptions: {
      lib: ["es2024", "dom", "dom.iterable"],
      jsx: "react-jsx",
      noImplicitAny: false,
      typeRoots: [join(ROOT, "node_modules/@types")],
    },
    include: ["*.ts", "*.tsx"],
    exclude: [],
  };
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"), "junction");
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  const blocks = blocksOf("ts", "tsx", "typescript");
  const files = new Map(blocks.map((block, at) => [`${at}.${block.language === "tsx" ? "tsx" : "ts"}`, block]));
  for (const [name, { text }] of files) await writeFile(join(folder, name), text);
  const faults = [...(await compile(folder)).matchAll(COMPILER_ERROR)].flatMap(
    ([, name = "", line = "", code = "", message = ""]) => {
      const block = files.get(name);
      const [, specifier = ""] = /module '([^']+)'/.exec(message) ?? [];
      if (block === undefined || ASSUMED_NAMES.has(code) || (code === MISSING_MODULE && !isOwnPackage(specifier)))
        return [];
      return [`${block.path}, line ${block.line + Number(line)}: ${message}`];
    },
  );
  assert.deepEqual(faults, []);
  assert.ok(files.size > 20, `${files.size} blocks were found`);
});

/** What the compiler prints: it fails, because of the names that the blocks assume. */
async function compile(folder: string): Promise<string> {
  const words = [findProgram(ROOT, "typescript", "tsc"), "--project", folder, "--pretty", "false"];
  const run = promisify(execFile)(process.execPath, words, { cwd: folder });
  return (await run.catch((error: unknown) => error as { readonly stdout: string })).stdout;
}

/** What a page describes in words, before its blocks of SQL. */
const ASSUMED_SQL: Readonly<Record<string, string>> = {
  "docs/guides/app-events.md": "create table orders (id uuid, total numeric, user_id uuid, paid_at timestamptz)",
  "docs/guides/extensions.md": "create schema ext_visits",
  "docs/guides/migrating-from-supabase.md":
    // Columns of Supabase's own table.
    "create schema app; alter table auth.users add encrypted_password text, add raw_user_meta_data json, add raw_app_meta_data json",
  "docs/guides/realtime.md": "create table notes (); create table room_members (room_id text)",
  "docs/guides/tables.md": "create schema app",
  "docs/guides/tools.md": "create table orders (created_at timestamptz)",
  "docs/guides/webhooks.md": "create table seen_events (id text)",
};

test("SQL of the pages runs on a migrated database", async (t) => {
  const { owner } = await createTestDatabase(t);
  const faults: string[] = [];
  for (const [path, blocks] of Map.groupBy(blocksOf("sql"), (block) => block.path)) {
    await owner.query(`begin; set local search_path = public; ${ASSUMED_SQL[path] ?? ""}`);
    for (const { text, line } of blocks) {
      await owner.query("savepoint block");
      await owner.query(text.replaceAll(/\$\d\b/g, "null")).catch(async (error: unknown) => {
        faults.push(`${path}, line ${line}: ${error instanceof Error ? error.message : String(error)}`);
        await owner.query("rollback to block");
      });
    }
    await owner.query("rollback");
  }
  assert.deepEqual(faults, []);
});

test("a shell understands the commands of the pages", { skip: process.platform === "win32" && "no sh" }, () => {
  const blocks = blocksOf("sh", "console").map(({ path, line, language, text }) => {
    const commands = [...text.matchAll(/^\$ (.*(?:\\\n.*)*)$/gm)].map(([, command = ""]) => command);
    return { from: `${path}, line ${line}`, text: language === "sh" ? text : commands.join("\n") };
  });
  // One shell for all: each block is read in a subshell, and nothing is run.
  const script = blocks.map(({ from, text }) => `# ${from}\n(\n:\n${text}\n)\n`).join("");
  execFileSync("sh", ["-n"], { input: script, stdio: ["pipe", "ignore", "pipe"] });
});
