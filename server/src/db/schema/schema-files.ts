import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Holds migrations/ and functions/. */
const SCHEMA_DIR = fileURLToPath(new URL("../../../", import.meta.url));

const ENDING = ".sql";
const CONTRACT_ENDING = ".contract";
/** The line of a migration that the function files are applied at. */
const AFTER_FUNCTIONS = /^-- after functions$/m;

export interface SqlFile {
  /** As the history has it: `0007_swarms`, `functions/swarms`. */
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

export interface FunctionFile extends SqlFile {
  readonly hash: string;
}

export interface SchemaFiles {
  readonly migrations: readonly Migration[];
  readonly functions: readonly FunctionFile[];
}

export async function readSchemaFiles(schemaDir = SCHEMA_DIR): Promise<SchemaFiles> {
  return { migrations: await readMigrations(schemaDir), functions: await readFunctions(schemaDir) };
}

/** The files of an extension: `migrations/`, and `functions/` if it has one. */
export async function readExtensionFiles(dir: string): Promise<SchemaFiles> {
  const hasFunctions = existsSync(join(dir, "functions"));
  return { migrations: await readMigrations(dir), functions: hasFunctions ? await readFunctions(dir) : [] };
}

/** Of the core, or of an extension with this folder. */
export function listMigrations(dir = SCHEMA_DIR): Promise<string[]> {
  return listFiles(join(dir, "migrations"));
}

async function readMigrations(dir: string): Promise<Migration[]> {
  return (await readFolder(join(dir, "migrations"), "")).map(splitMigration);
}

async function readFunctions(dir: string): Promise<FunctionFile[]> {
  return (await readFolder(join(dir, "functions"), "functions/")).map(withHash);
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

function withHash(file: SqlFile): FunctionFile {
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
