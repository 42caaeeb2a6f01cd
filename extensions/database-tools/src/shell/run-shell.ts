import { readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type pg from "pg";
import { splitStatements } from "../statements/split-statements.ts";
import { runBackslash } from "./backslash-commands.ts";
import { include } from "./run-script.ts";
import { runStatement, type Session } from "./session.ts";

const HISTORY_LINES = 1_000;

export interface ShellOptions {
  readonly stdin: NodeJS.ReadableStream;
  readonly signal: AbortSignal;
  readonly home?: string | undefined;
  readonly workingDir: string;
}

/** Reads statements from a terminal until `\q` or the end of the input. An error does not end it. */
export async function runShell(session: Session, options: ShellOptions): Promise<void> {
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
