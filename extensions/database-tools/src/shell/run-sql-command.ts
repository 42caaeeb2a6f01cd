import { readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text as readText } from "node:stream/consumers";
import type pg from "pg";
import { type ExtensionCommandContext, parseOptions, UsageError } from "swarmbase/extension";
import { splitStatements } from "../statements/split-statements.ts";
import { runBackslash } from "./run-backslash.ts";
import { include, readScript, runScript, type Script } from "./run-script.ts";
import { openSession, runStatement, type Session } from "./session.ts";

const HISTORY_LINES = 1_000;

export async function runSqlCommand(context: ExtensionCommandContext): Promise<number> {
  const { values, positionals } = parseOptions(
    context.args,
    {
      command: { type: "string", short: "c" },
      expanded: { type: "boolean", short: "x" },
      "single-transaction": { type: "boolean", short: "1" },
    },
    1,
  );
  const [file] = positionals;
  const { command, expanded = false, "single-transaction": isSingle = false } = values;
  if (command !== undefined && file !== undefined) throw new UsageError("Name a file or a statement, not both.");
  const isShell = command === undefined && file === undefined && context.stdin.isTTY === true;
  if (isShell && isSingle) throw new UsageError("--single-transaction is for files and statements.");
  const workingDir = process.cwd();
  // Read first, so that a file that is missing does not start a database.
  const script: Script | null = isShell
    ? null
    : file !== undefined && file !== "-"
      ? await readScript(file, workingDir).catch(explainMissing)
      : { name: null, text: command ?? (await readText(context.stdin)), folder: workingDir };
  return context.withDatabase(async ({ client, url }) => {
    const session = await openSession(client, url, context);
    session.isExpanded = expanded;
    context.signal.addEventListener("abort", () => void session.cancel(), { once: true });
    if (script === null) {
      await runShell(session, {
        stdin: context.stdin,
        signal: context.signal,
        home: context.env["HOME"],
        workingDir,
      });
      return 0;
    }
    if (isSingle) await client.query("begin");
    const isDone = await runScript(session, script);
    if (isSingle) await client.query(isDone ? "commit" : "rollback");
    return isDone ? 0 : 1;
  });
}

/** A statement without `-c` looks like the name of a file. */
function explainMissing(error: NodeJS.ErrnoException): never {
  if (error.code !== "ENOENT") throw error;
  throw new UsageError(`There is no file ${error.path}. To run a statement, use -c "<statement>".`);
}

interface ShellOptions {
  readonly stdin: NodeJS.ReadableStream;
  readonly signal: AbortSignal;
  readonly home?: string | undefined;
  readonly workingDir: string;
}

/** Reads statements from a terminal until `\q` or the end of the input. An error does not end it. */
async function runShell(session: Session, options: ShellOptions): Promise<void> {
  const historyFile = join(options.home ?? homedir(), ".swarmbase_sql_history");
  let history = await readHistory(historyFile);
  const lines = createInterface({
    input: options.stdin,
    output: session.stdout,
    terminal: true,
    history: [...history],
    historySize: HISTORY_LINES,
    removeHistoryDuplicates: true,
  });
  lines.on("history", (changed) => {
    history = changed;
  });
  let buffer = "";
  let isRunning = false;
  const prompt = (): void => {
    lines.setPrompt(`swarmbase${markOf(session.client)}${buffer === "" ? "=" : "-"}> `);
    lines.prompt();
  };
  lines.on("SIGINT", () => {
    if (isRunning) return void session.cancel();
    buffer = "";
    session.stdout.write("^C\n");
    prompt();
  });
  options.signal.addEventListener("abort", () => lines.close(), { once: true });
  session.stdout.write("Statements end with a semicolon. \\? lists the commands, \\q quits.\n");
  prompt();
  for await (const line of lines) {
    isRunning = true;
    const next = await takeLine(session, buffer, line, options.workingDir);
    isRunning = false;
    if (next === null) break;
    buffer = next;
    prompt();
  }
  lines.close();
  await writeFile(historyFile, `${history.toReversed().join("\n")}\n`, { mode: 0o600 }).catch(() => {});
}

/** Runs what the line completes, and returns the statement that is still open; null to quit. */
async function takeLine(session: Session, buffer: string, line: string, workingDir: string): Promise<string | null> {
  const text = buffer === "" ? line : `${buffer}\n${line}`;
  // A backslash in the middle of a statement is a command too, as in psql: \r must work there.
  if (buffer !== "" && /^\s*\\[rq?]\s*$/.test(line)) {
    const result = await runBackslash(session, line.trim());
    return result === "quit" ? null : result === "forget" ? "" : buffer;
  }
  const { parts, restAt } = splitStatements(text);
  for (const part of parts) {
    if (part.kind === "statement") {
      await runStatement(session, part, { name: null, text, start: part.start });
      continue;
    }
    const result = await runBackslash(session, part.text);
    if (result === "quit") return null;
    if (typeof result === "object") await include(session, result.include, workingDir);
  }
  return restAt === null ? "" : text.slice(restAt);
}

/** As psql marks it: `*` within a transaction, `!` within a failed one. */
function markOf(client: pg.Client): string {
  const status = client.getTransactionStatus();
  return status === "T" ? "*" : status === "E" ? "!" : "";
}

async function readHistory(file: string): Promise<readonly string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .toReversed()
    .slice(0, HISTORY_LINES);
}
