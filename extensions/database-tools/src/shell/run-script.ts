import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { splitFile } from "../statements/split-statements.ts";
import { runBackslash } from "./run-backslash.ts";
import { runStatement, type Session } from "./session.ts";

export interface Script {
  /** As messages name it; null for what was typed. */
  readonly name: string | null;
  readonly text: string;
  /** Files of `\i` count from here. */
  readonly folder: string;
}

const MOST_NESTED = 16;

export async function readScript(path: string, folder: string): Promise<Script> {
  const full = resolve(folder, path);
  return { name: path, text: await readFile(full, "utf8"), folder: dirname(full) };
}

/** Runs the statements in order until one fails. Resolves with false then. */
export async function runScript(session: Session, script: Script, depth = 0): Promise<boolean> {
  for (const part of splitFile(script.text.replace(/^\ufeff/, " "))) {
    if (part.kind === "statement") {
      if (!(await runStatement(session, part, { ...script, start: part.start }))) return false;
      continue;
    }
    const result = await runBackslash(session, part.text);
    if (result === "quit") return true;
    if (result === "failed") return false;
    if (typeof result === "object" && !(await include(session, result.include, script.folder, depth))) return false;
  }
  return true;
}

/** Runs the file that `\i` names. */
export async function include(session: Session, path: string, folder: string, depth = 0): Promise<boolean> {
  if (depth >= MOST_NESTED) {
    session.stderr.write(`${path}: files include each other more than ${MOST_NESTED} times.\n`);
    return false;
  }
  try {
    return await runScript(session, await readScript(path, folder), depth + 1);
  } catch (error) {
    session.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return false;
  }
}
