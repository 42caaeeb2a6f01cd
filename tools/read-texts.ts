import { existsSync, globSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

const SKIPPED: ReadonlySet<string> = new Set(["node_modules", "dist", ".git", ".swarmbase"]);

/** The matching files and folders, "/"-separated and relative to `root`. */
export function listPaths(root: string, patterns: readonly string[]): string[] {
  const found = globSync(patterns, { cwd: root, exclude: (path) => SKIPPED.has(path.split(sep).at(-1) ?? "") });
  return found.map((path) => path.split(sep).join("/")).toSorted();
}

/** Texts of the matching files by path, "/"-separated and relative to `root`. */
export function readTexts(root: string, patterns: readonly string[]): Map<string, string> {
  const paths = listPaths(root, patterns);
  // An editor's lock file is a dangling link.
  return new Map(
    paths.filter((path) => existsSync(join(root, path))).map((path) => [path, readFileSync(join(root, path), "utf8")]),
  );
}
