import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { parseArgs, promisify } from "node:util";
import { NODE_PACKAGE } from "../../tools/package/node-package.ts";
import { packRelease } from "../../tools/package/packed-release.ts";
import { LENGTH_OPTIONS } from "../load/length.ts";
import { openReport } from "../report/report.ts";
import { formatFigure, type Table } from "../report/table.ts";
import { createProgress } from "../rest/progress.ts";

/** Measures the disk that an installed service takes, by folder, with the Node.js of this process as that of the machine. Run: npm run bench -- install */
const { values } = parseArgs({ options: { ...LENGTH_OPTIONS, json: { type: "string" } } });
const GOAL_MB = 200;
const SHOWN = 14;
const BYTES_PER_KIB = 1024;
const BYTES_PER_MB = 1_000_000;
const root = resolve(import.meta.dirname, "../..");

interface Folder {
  readonly name: string;
  readonly megabytes: number;
}

/** The blocks on the disk, which are more than the lengths of many small files. */
async function measureFolder(path: string): Promise<number> {
  const { stdout } = await promisify(execFile)("du", ["-sk", path]);
  return (Number(stdout.split("\t")[0]) * BYTES_PER_KIB) / BYTES_PER_MB;
}

async function listPackages(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  const scoped = names.filter((name) => name.startsWith("@"));
  const inScopes = await Promise.all(
    scoped.map(async (scope) => (await readdir(join(folder, scope))).map((name) => `${scope}/${name}`)),
  );
  return [...names.filter((name) => !name.startsWith("@") && !name.startsWith(".")), ...inScopes.flat()];
}

function tabulate(total: number, folders: readonly Folder[]): Table {
  const [shown, others] = [folders.slice(0, SHOWN), folders.slice(SHOWN)];
  const rest = others.reduce((sum, { megabytes }) => sum + megabytes, 0);
  const rows = [...shown, { name: `${others.length} others`, megabytes: rest }, { name: "all", megabytes: total }];
  return {
    id: "install",
    title: "The disk that `npm install swarmbase` takes",
    head: ["folder", "MB"],
    rows: rows.map(({ name, megabytes }) => [name, formatFigure(megabytes)]),
    notes: [`The Node.js of the machine is ${process.version}; an older one than 24 adds ${NODE_PACKAGE}.`],
    goals: [
      {
        about: "the installed service",
        bound: "at most",
        limit: GOAL_MB,
        value: total,
        unit: " MB",
        reason:
          "the largest folders are in the table; the libraries of sign-in by providers and passkeys are 9 MB of it. Tried: the bundled Node.js only where the machine's is older (211 MB less), and packages without maps, tests and sources (49 MB less)",
      },
    ],
    plot: {
      caption: "MB, less is better",
      bars: shown.map(({ name, megabytes }) => ({
        label: name,
        value: megabytes,
        text: `${formatFigure(megabytes)} MB`,
        goal: null,
        isOurs: name.includes("swarmbase"),
      })),
    },
  };
}

const progress = createProgress(process.stderr);
progress.stage("building and installing the packages");
const release = await packRelease(root, "swarmbase-bench-");
try {
  const project = await release.makeProject("app");
  await release.run(project, dirname(process.execPath), "npm", "install", "swarmbase");
  const installed = join(project, "node_modules");
  const folders = await Promise.all(
    (await listPackages(installed)).map(
      async (name): Promise<Folder> => ({ name, megabytes: await measureFolder(join(installed, name)) }),
    ),
  );
  const ordered = folders.toSorted((left, right) => right.megabytes - left.megabytes);
  openReport(values.json).add(tabulate(await measureFolder(installed), ordered));
} finally {
  await release.close();
  progress.end();
}
