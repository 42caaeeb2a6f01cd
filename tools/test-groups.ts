import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Variant } from "./variants/variant.ts";

/** So many that loading the modules no longer counts, so few that no group is the last one running for long. */
const MOST_IN_GROUP = 24;
/** Each takes long, most of it waiting, so several of these groups run at the same time. */
const MOST_WITH_PROGRAMS = 4;
/** Parts of the tree with fewer files share their processes with others. */
const LEAST_IN_PART = 5;

/** Files that change what a process has only one of get a process of their own: they would meddle with their neighbours. */
const STAYS_ALONE = /\bmock\.timers\b|\bprocess\.(?:env\[[^\]]+\] = |exitCode = |chdir|on\()|delete process\.env/;
/** Files that start programs, servers or services share a process only with such files, and with fewer. */
const STARTS_PROGRAMS =
  /node:child_process|(?:\.\.|test)\/support\/service\.ts|\/cluster\.ts|\/program\.ts|\/follow-page\.ts/;
/** Acceptance tests use services that the run shares. Those that start another one call one of these. */
const STARTS_SERVICE = /\bstart(?:OwnService|SecondNode)\b|\bisAlone\b/;

/** Pages of a browser take longer than anything else that is tested. */
const USES_BROWSER = /\/browser-test\.ts"/;
/** The services of the acceptance tests, by the names of their files in the folder of the run. */
const ACCEPTANCE_SERVICES = ["service", "mailing"];

/** Test files that share a process. */
export interface TestGroup {
  readonly files: readonly string[];
  /** Null for the first run of the files. */
  readonly variant: Variant | null;
  /** The services that the files share with other groups. */
  readonly services: readonly string[];
}

/**
 * A process for every test file would load the same modules hundreds of times, which takes longer than most tests. Files of one
 * part of the tree share one instead, each as a suite of its own, one after the other. What takes longest comes first, as far as that is known:
 * browser tests, single files and those that start programs, then groups, the ones with the most text first, so that no long group is the last one running. Files with
 * shared services come before single files, so that these services can end early.
 */
export function groupTests(root: string, files: readonly string[], variants: readonly Variant[] = []): TestGroup[] {
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));
  const isSlow = (file: string): boolean => startsPrograms(texts.get(file) ?? "");
  const groups = [null, ...variants].flatMap((variant) => {
    const chosen = files.filter((file) => variant?.appliesTo(file, texts.get(file) ?? "") ?? true);
    const tame = chosen.filter((file) => !STAYS_ALONE.test(texts.get(file) ?? ""));
    const [quick, slow] = [tame.filter((file) => !isSlow(file)), tame.filter(isSlow)];
    return [
      ...chosen.filter((file) => !tame.includes(file)).map((file) => [file]),
      ...divide(slow, MOST_WITH_PROGRAMS),
      ...divide(quick, MOST_IN_GROUP),
    ].map((part) => {
      const services = new Set(part.flatMap((file) => findServices(file, texts.get(file) ?? "")));
      return { files: part, variant, services: [...services] };
    });
  });
  const rankOf = ({ files: grouped, services }: TestGroup): number => {
    if (grouped.some((file) => USES_BROWSER.test(texts.get(file) ?? ""))) return 0;
    if (services.length > 0) return 1;
    return grouped.length === 1 || grouped.some(isSlow) ? 2 : 3;
  };
  const sizeOf = ({ files: grouped }: TestGroup): number =>
    grouped.reduce((sum, file) => sum + (texts.get(file)?.length ?? 0), 0);
  return groups.toSorted((one, other) => rankOf(one) - rankOf(other) || sizeOf(other) - sizeOf(one));
}

/** A module of the server with its sub-folders, all extensions together, or a folder: what loads the same modules. */
function partOf(file: string): string {
  const folders = dirname(file).split("/");
  return folders.slice(0, folders[0] === "extensions" ? 1 : 3).join("/");
}

function nameGroup(files: readonly string[]): string {
  const [first = ""] = files;
  if (files.length === 1) return first.replace(/\.test\.ts$/, "");
  return files.every((file) => partOf(file) === partOf(first)) ? partOf(first) : folderOf(first);
}

function folderOf(file: string): string {
  return file.split("/")[0] ?? "";
}

function startsPrograms(text: string): boolean {
  return STARTS_PROGRAMS.test(text) || STARTS_SERVICE.test(text);
}

function findServices(file: string, text: string): readonly string[] {
  if (USES_BROWSER.test(text)) return ["console"];
  return dirname(file) === "acceptance" ? ACCEPTANCE_SERVICES : [];
}

/** The files of each part of the tree, and those of all small parts of a folder, in groups of nearly one size. */
function divide(files: readonly string[], most: number): string[][] {
  const parts = Map.groupBy(files, partOf);
  const isSmall = (file: string): boolean => (parts.get(partOf(file))?.length ?? 0) < LEAST_IN_PART;
  const joined = Map.groupBy(files, (file) => (isSmall(file) ? folderOf(file) : partOf(file)));
  return [...joined.values()].flatMap((part) => {
    const size = Math.ceil(part.length / Math.ceil(part.length / most));
    const groups: string[][] = [];
    for (let from = 0; from < part.length; from += size) groups.push(part.slice(from, from + size));
    return groups;
  });
}

/** How long a process may close what its tests have opened: as long as a test, for a machine that is busy. */
const LINGER_MS = 240_000;
const CHECK_MS = 50;
const LEAVE_SERVICES = pathToFileURL(join(import.meta.dirname, "leave-services.ts")).href;

/**
 * Files for the test runner, which runs them in the order of their names. The runner waits for each process without a limit, so one
 * whose tests have ended and left something open fails after a while. Timers alone delay nothing: clients of protocols leave those of
 * requests whose answer they no longer need, for minutes.
 */
export function writeGroups(
  root: string,
  groups: readonly TestGroup[],
  folder: string,
  lingerMs = LINGER_MS,
): string[] {
  const countUsers = (service: string): number => groups.filter(({ services }) => services.includes(service)).length;
  return groups.map(({ files, variant, services }, index) => {
    const words = nameGroup(files).replaceAll(/[^\w.]+/g, "-");
    const path = join(folder, `${String(index).padStart(3, "0")}-${words}.test.mjs`);
    const paths = files.map((file) => join(root, file));
    const suites = files.map((file, place) => {
      const title = variant === null ? file : `${file} ${variant.title}`;
      const address = pathToFileURL(paths[place] ?? "").href;
      return `describe(${JSON.stringify(title)}, { skip }, async () => { await import(${JSON.stringify(address)}); });`;
    });
    const preparation =
      variant === null
        ? ["const skip = false;"]
        : [
            `import { variant } from ${JSON.stringify(pathToFileURL(variant.module).href)};`,
            `const skip = variant.enter(${JSON.stringify(paths)});`,
          ];
    // A variant may not be permitted to end a service.
    const users = Object.fromEntries((variant === null ? services : []).map((name) => [name, countUsers(name)]));
    const text = [
      'import { after, describe } from "node:test";',
      `import { leaveServices } from ${JSON.stringify(LEAVE_SERVICES)};`,
      'const listOpen = () => process.getActiveResourcesInfo().filter((kind) => kind !== "Timeout").join();',
      "const openAtStart = listOpen();",
      "const endIfClosed = () => { if (listOpen() === openAtStart) process.exit(); };",
      'const fail = () => { console.error("The tests left something open."); process.exit(1); };',
      `after(() => { setInterval(endIfClosed, ${CHECK_MS}).unref(); setTimeout(fail, ${lingerMs}).unref(); });`,
      `after(() => leaveServices(${JSON.stringify(users)}));`,
      ...preparation,
      ...suites,
      "",
    ];
    writeFileSync(path, text.join("\n"));
    return path;
  });
}
