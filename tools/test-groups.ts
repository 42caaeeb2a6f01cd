import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** So many that loading the modules no longer counts, so few that no group is the last one running for long. */
const MOST_IN_GROUP = 12;

/**
 * Files that start programs, or change what a process has only one of, get a process of their own: the first take long without
 * loading much, the others would meddle with their neighbours.
 */
const STAYS_ALONE =
  /\bmock\.timers\b|\bprocess\.(?:env\[[^\]]+\] = |exitCode = |chdir|on\()|delete process\.env|node:child_process|\.\.\/support\/service\.ts|\/cluster\.ts|\/program\.ts/;

/**
 * A process for every test file would load the same modules hundreds of times, which takes longer than most tests. Files of one
 * folder share one instead, each as a suite of its own, one after the other. What takes longest comes first.
 */
export function groupTests(root: string, files: readonly string[]): readonly (readonly string[])[] {
  const byFolder = Map.groupBy(files, (file) =>
    STAYS_ALONE.test(readFileSync(join(root, file), "utf8")) ? file : dirname(file),
  );
  const groups = [...byFolder.values()].flatMap(divide);
  return [...groups.filter(({ length }) => length === 1), ...groups.filter(({ length }) => length > 1)];
}

/** Into parts of nearly one size. */
function divide(files: readonly string[]): string[][] {
  const size = Math.ceil(files.length / Math.ceil(files.length / MOST_IN_GROUP));
  const parts: string[][] = [];
  for (let from = 0; from < files.length; from += size) parts.push(files.slice(from, from + size));
  return parts;
}

/** Files for the test runner, which runs them in the order of their names. */
export function writeGroups(root: string, groups: readonly (readonly string[])[], folder: string): string[] {
  return groups.map((files, index) => {
    const [first = ""] = files;
    const words = (files.length === 1 ? first.replace(/\.test\.ts$/, "") : dirname(first)).replaceAll(/[^\w.]+/g, "-");
    const path = join(folder, `${String(index).padStart(3, "0")}-${words}.test.mjs`);
    const suites = files.map(
      (file) =>
        `describe(${JSON.stringify(file)}, async () => { await import(${JSON.stringify(pathToFileURL(join(root, file)).href)}); });`,
    );
    writeFileSync(path, ['import { describe } from "node:test";', ...suites, ""].join("\n"));
    return path;
  });
}
