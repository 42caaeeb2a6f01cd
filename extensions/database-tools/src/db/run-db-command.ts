import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { type CommandDatabase, type ExtensionCommandContext, parseOptions, UsageError } from "swarmbase/extension";
import { dropAdditions } from "../diff/drop-additions.ts";
import { findChanges } from "../diff/find-changes.ts";
import { selectItems } from "../diff/sql/select-items.ts";
import { runScript } from "../shell/run-script.ts";
import { openSession } from "../shell/session.ts";
import { applyMigrations, takeLock } from "./apply-migrations.ts";
import { grant } from "./grant.ts";
import { planPush } from "./plan-push.ts";
import { hashOf, nextName, readMigrations } from "./read-migrations.ts";
import { createHistory, dropHistory, insertApplied, selectHistory } from "./sql/history.ts";

const ACTIONS = { push, diff, reset, grant } as const;
const DIR = { dir: { type: "string" } } as const;

export async function runDbCommand(context: ExtensionCommandContext): Promise<number> {
  const [action, ...args] = context.args;
  if (action === undefined) throw new UsageError("The action is missing: db push, db diff, db reset or db grant");
  if (!Object.hasOwn(ACTIONS, action)) throw new UsageError(`Unknown action "${action}".`);
  return ACTIONS[action as keyof typeof ACTIONS]({ ...context, args });
}

async function push(context: ExtensionCommandContext): Promise<number> {
  const { values } = parseOptions(context.args, { ...DIR, "dry-run": { type: "boolean" } });
  const files = await requireMigrations(folderOf(values.dir));
  return context.withDatabase(async ({ client }) => {
    const isDryRun = values["dry-run"] === true;
    if (!isDryRun) await takeLock(client, context.stderr);
    const pending = planPush(files, await selectHistory(client));
    if (pending.length === 0) context.stdout.write("The database has all migrations.\n");
    else if (isDryRun) context.stdout.write(`Would apply:\n${pending.map(({ name }) => `  ${name}\n`).join("")}`);
    else await applyAndReport(client, pending, context);
    return 0;
  });
}

async function applyAndReport(
  client: CommandDatabase["client"],
  pending: Parameters<typeof applyMigrations>[1],
  { stdout, signal }: ExtensionCommandContext,
): Promise<void> {
  await applyMigrations(client, pending, { signal, onApplied: (name) => stdout.write(`Applied ${name}\n`) });
}

const DIFF_OPTIONS = { ...DIR, name: { type: "string" }, check: { type: "boolean" } } as const;

async function diff(context: ExtensionCommandContext): Promise<number> {
  const { values } = parseOptions(context.args, DIFF_OPTIONS);
  const { name, check: isCheck = false } = values;
  if (name !== undefined && !/^[A-Za-z0-9_-]+$/.test(name))
    throw new UsageError("--name has letters, digits, _ and -, as in add_notes.");
  if (name !== undefined && isCheck) throw new UsageError("--check writes no migration; leave --name out.");
  const folder = folderOf(values.dir);
  const files = await readMigrations(folder);
  const { stdout, stderr } = context;
  return context.withDatabase(async ({ client, withScratchDatabase }) => {
    await takeLock(client, stderr);
    const pending = planPush(files, await selectHistory(client));
    if (pending.length > 0)
      throw new Error(
        `Migrations are pending: ${pending.map((file) => file.name).join(", ")}. Apply them first: swarmbase db push`,
      );
    const target = await selectItems(client);
    const found = await withScratchDatabase(async (scratch) => {
      await applyMigrations(scratch, files, { signal: context.signal });
      const uncovered = new Set((await selectItems(scratch)).uncovered);
      const changes = await findChanges(scratch, target.items);
      return { ...changes, uncovered: target.uncovered.filter((what) => !uncovered.has(what)) };
    });
    for (const what of found.uncovered) stderr.write(`Not covered, write it by hand: ${what}\n`);
    if (found.leftovers.length > 0) {
      stdout.write(renderStatements(found.statements));
      throw new Error(
        `No statements were found for:\n${found.leftovers.map((line) => `  - ${line}\n`).join("")}Nothing was written.`,
      );
    }
    if (found.statements.length === 0) {
      stdout.write("The database has nothing beyond the migrations.\n");
      return 0;
    }
    const text = renderStatements(found.statements);
    if (name === undefined) {
      stdout.write(text);
      return isCheck ? 1 : 0;
    }
    const fileName = nextName(files, name, context.now());
    const path = join(folder, `${fileName}.sql`);
    await mkdir(folder, { recursive: true });
    await writeFile(path, text, { flag: "wx" });
    await createHistory(client);
    // The database has these objects already.
    await insertApplied(client, { name: fileName, hash: hashOf(text) });
    stdout.write(`Wrote ${relative(process.cwd(), path)}, and recorded it as applied.\n`);
    return 0;
  });
}

function renderStatements(statements: readonly string[]): string {
  return statements.map((statement) => `${statement};\n`).join("\n");
}

const RESET_OPTIONS = {
  ...DIR,
  seed: { type: "boolean" },
  "seed-file": { type: "string" },
  yes: { type: "boolean" },
  shared: { type: "boolean" },
} as const;

async function reset(context: ExtensionCommandContext): Promise<number> {
  const { values } = parseOptions(context.args, RESET_OPTIONS);
  const { serviceSettings, stdout, stderr, signal } = context;
  if (serviceSettings.databaseUrl !== null && values.shared !== true)
    throw new Error(
      "DATABASE_URL is set, so others may use this database. To reset it nevertheless, add --shared. Nothing was changed.",
    );
  const files = await requireMigrations(folderOf(values.dir));
  const seedFile =
    values.seed === true || values["seed-file"] !== undefined ? (values["seed-file"] ?? "seed.sql") : null;
  const seed =
    seedFile === null
      ? null
      : { name: seedFile, text: await readFile(resolve(seedFile), "utf8"), folder: resolve(seedFile, "..") };
  if (values.yes !== true && !(await confirm(context))) return 1;
  return context.withDatabase(async (database) => {
    const { client } = database;
    await takeLock(client, stderr);
    const baseline = await database.withScratchDatabase(async (scratch) => {
      const { items } = await selectItems(scratch);
      // A migration that fails must do so before anything is dropped.
      await applyMigrations(scratch, files, { signal });
      return items;
    });
    await client.query("begin; set local lock_timeout = '30s'; set local client_min_messages = warning");
    try {
      const dropped = await dropAdditions(client, baseline);
      await dropHistory(client);
      await client.query("commit");
      stdout.write(dropped.map((key) => `Dropped ${key}\n`).join(""));
    } catch (error) {
      await client.query("rollback").catch(() => {});
      throw error;
    }
    await applyAndReport(client, files, context);
    if (seed === null) return 0;
    const session = await openSession(client, database.url, { stdout: stderr, stderr });
    await client.query("begin");
    const isSeeded = await runScript(session, seed);
    await client.query(isSeeded ? "commit" : "rollback");
    stdout.write(isSeeded ? `Ran ${seed.name}\n` : "");
    return isSeeded ? 0 : 1;
  });
}

async function confirm({ stdin, stdout, stderr, signal }: ExtensionCommandContext): Promise<boolean> {
  if (stdin.isTTY !== true) {
    stderr.write("This drops the tables of the app with their rows. Confirm it with --yes. Nothing was changed.\n");
    return false;
  }
  const lines = createInterface({ input: stdin, output: stdout, terminal: true });
  try {
    const answer = await lines.question("This drops the tables of the app with their rows. Type yes to continue: ", {
      signal,
    });
    if (answer.trim() === "yes") return true;
    stderr.write("Nothing was changed.\n");
    return false;
  } finally {
    lines.close();
  }
}

/** An empty folder is more likely another folder than was meant. */
async function requireMigrations(folder: string): ReturnType<typeof readMigrations> {
  const files = await readMigrations(folder);
  if (files.length === 0) throw new Error(`There are no migrations in ${folder}, such as 0001_notes.sql.`);
  return files;
}

function folderOf(dir = "migrations"): string {
  return resolve(dir);
}
