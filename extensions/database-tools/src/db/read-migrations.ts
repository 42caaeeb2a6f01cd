import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { splitFile } from "../statements/split-statements.ts";

export interface MigrationFile {
  /** The file name without `.sql`. */
  readonly name: string;
  readonly path: string;
  readonly text: string;
  /** SHA-256 of the text with line ends of one kind, so that a checkout on Windows does not count as a change. */
  readonly hash: string;
}

const FILE = /^\d+_[A-Za-z0-9_-]+\.sql$/;
const ENDS_TRANSACTION = new Set(["begin", "start", "commit", "end", "abort", "rollback", "prepare"]);

/** The migrations of a folder in the order of their numbers. A folder that does not exist has none. */
export async function readMigrations(folder: string): Promise<readonly MigrationFile[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  });
  const wrong = names.filter((name) => name.endsWith(".sql") && !FILE.test(name));
  if (wrong.length > 0)
    throw new Error(
      `The name of a migration begins with a number, as in 0001_notes.sql. Rename in ${folder}: ${wrong.join(", ")}`,
    );
  const sorted = names.filter((name) => FILE.test(name)).toSorted(compareNames);
  const twin = sorted.find((name, place) => numberOf(name) === numberOf(sorted[place + 1] ?? ""));
  if (twin !== undefined) throw new Error(`Two migrations in ${folder} have the number ${Number.parseInt(twin, 10)}.`);
  return Promise.all(sorted.map((name) => readMigration(join(folder, name), name.replace(/\.sql$/, ""))));
}

async function readMigration(path: string, name: string): Promise<MigrationFile> {
  const text = (await readFile(path, "utf8")).replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  for (const { kind, words, start, text: part } of splitFile(text)) {
    const line = text.slice(0, start).split("\n").length;
    if (kind === "backslash")
      throw new Error(`${path}:${line}: ${part.split(" ")[0]} is a command of the shell; a migration has only SQL.`);
    if (isTransactionControl(words))
      throw new Error(
        `${path}:${line}: ${(words[0] ?? "").toUpperCase()} is not possible here: a migration runs in one transaction.`,
      );
  }
  return { name, path, text, hash: hashOf(text) };
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function isTransactionControl([first = "", second]: readonly string[]): boolean {
  if (first === "rollback" || first === "prepare")
    return first === "rollback" ? second !== "to" : second === "transaction";
  return ENDS_TRANSACTION.has(first);
}

/** The name of the next migration: as wide as the existing numbers, or a time where those are times. */
export function nextName(migrations: readonly { readonly name: string }[], words: string, now: Date): string {
  const last = migrations.at(-1)?.name;
  const digits = /^\d+/.exec(last ?? "0000")?.[0] ?? "0000";
  const isTime = digits.length >= 12;
  const number = isTime
    ? now.toISOString().replaceAll(/\D/g, "").slice(0, digits.length)
    : String(Number(digits) + 1).padStart(digits.length, "0");
  return `${number}_${words}`;
}

function numberOf(name: string): bigint | null {
  const digits = /^\d+/.exec(name)?.[0];
  return digits === undefined ? null : BigInt(digits);
}

function compareNames(one: string, other: string): number {
  const [left, right] = [numberOf(one) ?? 0n, numberOf(other) ?? 0n];
  return left < right ? -1 : left > right ? 1 : one < other ? -1 : 1;
}
