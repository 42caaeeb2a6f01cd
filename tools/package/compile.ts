import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { findProgram } from "../check-run.ts";
import type { Manifest } from "./manifest.ts";

export interface CompileOptions {
  readonly root: string;
  /** The folder of the package, absolute. */
  readonly from: string;
  readonly to: string;
  readonly manifest: Manifest;
  /** Folders of the package that are compiled. */
  readonly folders: readonly string[];
  /** Where packages of this repository that are already built have their declarations, by specifier; null writes none. */
  readonly declarations: Readonly<Record<string, string>> | null;
}

const RELATIVE_SPECIFIER = /((?:from|import\()\s*"\.{1,2}\/[^"]*)\.ts"/g;

/** Compiles TypeScript to JavaScript in the same tree, with declarations for what the package exports, and copies other files. */
export async function compile(options: CompileOptions): Promise<void> {
  const { from, to, manifest, folders } = options;
  for (const folder of folders)
    await cp(join(from, folder), join(to, folder), { recursive: true, filter: (path) => !path.endsWith(".ts") });
  const entries = Object.values(manifest.exports ?? {}).flatMap((path) =>
    typeof path === "string" && path.endsWith(".ts") ? [path] : [],
  );
  await Promise.all([
    runCompiler(options, "code", {
      include: folders.map((folder) => join(from, folder)),
      // Each file is compiled by itself.
      compilerOptions: { noResolve: true },
    }),
    ...(options.declarations === null || entries.length === 0
      ? []
      : [
          runCompiler(options, "declarations", {
            files: entries.map((path) => join(from, path)),
            compilerOptions: { declaration: true, emitDeclarationOnly: true },
          }),
        ]),
  ]);
  for (const folder of folders) await renameSpecifiers(join(to, folder));
}

async function runCompiler(
  { root, from, to, declarations }: CompileOptions,
  name: string,
  project: {
    readonly compilerOptions: object;
    readonly files?: readonly string[];
    readonly include?: readonly string[];
  },
): Promise<void> {
  const projectFile = `${to}.${name}.tsconfig.json`;
  const compilerOptions = {
    noEmit: false,
    // `npm run check` checks the types.
    noCheck: true,
    rootDir: from,
    outDir: to,
    customConditions: [],
    typeRoots: [join(root, "node_modules/@types")],
    paths: Object.fromEntries(Object.entries(declarations ?? {}).map(([specifier, path]) => [specifier, [path]])),
    ...project.compilerOptions,
  };
  const text = JSON.stringify({ include: [], ...project, extends: join(root, "tsconfig.json"), compilerOptions });
  await writeFile(projectFile, text);
  try {
    await runProject(root, ["--project", projectFile]);
  } finally {
    await rm(projectFile, { force: true });
  }
}

/** For a package that has a project for the compiler. */
export async function compileOwnProject(root: string, projectFile: string, to: string): Promise<void> {
  await runProject(root, ["--project", projectFile, "--noCheck", "--outDir", to]);
  await renameSpecifiers(to);
}

async function runProject(root: string, options: readonly string[]): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, [findProgram(root, "typescript", "tsc"), ...options]);
  } catch (error) {
    const output = error instanceof Error && "stdout" in error ? String(error.stdout) : "";
    throw new Error(`tsc ${options.join(" ")} failed:\n${output}`, { cause: error });
  }
}

/** The compiler renames the endings of relative imports in code, but not in declarations. */
async function renameSpecifiers(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || extname(entry.name) !== ".ts") continue;
    const path = join(entry.parentPath, entry.name);
    await writeFile(path, (await readFile(path, "utf8")).replaceAll(RELATIVE_SPECIFIER, '$1.js"'));
  }
}
