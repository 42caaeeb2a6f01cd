import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Holds migrations/, functions/ and comments/. */
const SCHEMA_DIR = fileURLToPath(new URL("../../../", import.meta.url));

const ENDING = ".sql";
const CONTRACT_ENDING = ".contract";
/** The line of a migration that the function files are applied at. */
const AFTER_FUNCTIONS = /^-- after functions$/m;

export interface SqlFile {
  /** As the history has it: `0007_swarms`, `functions/swarms`, `comments/swarms`. */
  readonly name: string;
  readonly text: string;
}

export interface Migration {
  readonly name: string;
  /** Its place in the history. */
  readonly number: number;
  /** Removes what older releases use, so it waits until none of their nodes runs. */
  readonly isContract: boolean;
  /** Of its text. A database whose migration has another one was made by another build. */
  readonly hash: string;
  readonly beforeFunctions: SqlFile;
  readonly afterFunctions: SqlFile;
}

/** Of functions or of comments: applied again when its text changed. */
export interface HashedFile extends SqlFile {
  readonly hash: string;
}

export interface SchemaFiles {
  readonly migrations: readonly Migration[];
  readonly functions: readonly HashedFile[];
  /** Descriptions of tables, columns and functions. */
  readonly comments: readonly HashedFile[];
}

/** The files of the product, or of an extension: `migrations/`, and `functions/` and `comments/` if it has them. */
export async function readSchemaFiles(dir = SCHEMA_DIR): Promise<SchemaFiles> {
  return {
    migrations: await readMigrations(dir),
    functions: await readHashed(dir, "functions"),
    comments: await readHashed(dir, "comments"),
  };
}

/** Of the core, or of an extension with this folder. */
export function listMigrations(dir = SCHEMA_DIR): Promise<string[]> {
  return listFiles(join(dir, "migrations"));
}

async function readMigrations(dir: string): Promise<Migration[]> {
  return (await readFolder(join(dir, "migrations"), "")).map(splitMigration);
}

async function readHashed(dir: string, kind: "functions" | "comments"): Promise<HashedFile[]> {
  const folder = join(dir, kind);
  return existsSync(folder) ? (await readFolder(folder, `${kind}/`)).map(withHash) : [];
}

async function readFolder(folder: string, prefix: string): Promise<SqlFile[]> {
  return await Promise.all(
    (await listFiles(folder)).map(async (name) => ({
      name: `${prefix}${name}`,
      // Git may check files out with other line ends, and the same function must have the same hash on every node.
      text: (await readFile(join(folder, `${name}${ENDING}`), "utf8")).replaceAll("\r\n", "\n"),
    })),
  );
}

/** Without their ending. */
async function listFiles(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(ENDING));
  return names.map((name) => name.slice(0, -ENDING.length)).sort();
}

function withHash(file: SqlFile): HashedFile {
  return { ...file, hash: hashOf(file.text) };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function splitMigration({ name, text }: SqlFile): Migration {
  const at = AFTER_FUNCTIONS.exec(text)?.index ?? text.length;
  const before = text.slice(0, at);
  // Blank lines in place of the first part keep the line numbers of the file.
  const after = `${"\n".repeat(before.split("\n").length - 1)}${text.slice(at)}`;
  return {
    name,
    number: numberOf(name),
    isContract: isContractName(name),
    hash: hashOf(text),
    beforeFunctions: { name, text: before },
    afterFunctions: { name, text: after },
  };
}

/** Also true of names that only a newer release knows. */
export function isContractName(name: string): boolean {
  return name.endsWith(CONTRACT_ENDING);
}

/** The number of the last migration: a node that has these files can use every schema up to the next contract migration. */
export function levelOf(names: readonly string[]): number {
  return Math.max(0, ...names.map(numberOf));
}

function numberOf(name: string): number {
  return Number.parseInt(name, 10);
}
