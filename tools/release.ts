import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs, promisify } from "node:util";
import { findNewMigrations, MIGRATION_FILES } from "./architecture/rules/released-migrations.ts";
import { buildPackages } from "./package/build.ts";
import type { Manifest } from "./package/manifest.ts";
import { type PackedPackage, packPackages } from "./package/pack.ts";
import { packRelease } from "./package/packed-release.ts";
import { orderForPublishing } from "./package/publish-order.ts";
import { findPackageFaults, findPublishingFaults } from "./package/release-faults.ts";
import { findTarballFaults } from "./package/tarball-faults.ts";
import { tryRelease } from "./package/try-release.ts";
import { readTexts } from "./read-texts.ts";
import { type Account, findOrdinaryAccount } from "./variants/ordinary-account.ts";

// Builds, packs and checks all packages, and uses them as a stranger would. Only with --publish are all tests run and the packages
// published, each after those it depends on.

const root = resolve(`${import.meta.dirname}/..`);
const USAGE = "Usage: npm run release [-- --dry-run | --quick | --publish]";
const MODES = ["dry-run", "quick", "publish"] as const;
const write = (line: string): void => console.log(line);

async function git(...args: string[]): Promise<string> {
  return (await promisify(execFile)("git", args, { cwd: root })).stdout;
}

async function publish({ name, version, tarball }: PackedPackage): Promise<void> {
  const { code } = await run("npm", ["view", `${name}@${version}`, "version"], "ignore");
  // A release that was interrupted goes on where it stopped.
  if (code === 0) return console.log(`${name}@${version} is published already`);
  const published = await run("npm", ["publish", tarball, "--provenance", "--access", "public"], "inherit");
  if (published.code !== 0) throw new Error(`npm publish of ${name} failed; correct the cause and start again`);
}

async function run(
  program: string,
  args: readonly string[],
  stdio: "ignore" | "inherit",
): Promise<{ code: number | null }> {
  const child = spawn(program, args, { cwd: root, stdio, shell: process.platform === "win32" });
  const [code] = (await once(child, "exit")) as [number | null];
  return { code };
}

function readMode(): (typeof MODES)[number] | null {
  try {
    const options = Object.fromEntries(MODES.map((mode) => [mode, { type: "boolean" as const }]));
    const given = Object.keys(parseArgs({ options }).values) as (typeof MODES)[number][];
    return given.length > 1 ? null : (given[0] ?? "dry-run");
  } catch {
    return null;
  }
}

/** As root, an ordinary account installs and runs the packages, if it can run Node.js: null is the account of this process. */
function chooseAccount(): Account | null {
  const account = process.getuid?.() === 0 ? findOrdinaryAccount() : null;
  if (account === null) return null;
  try {
    process.seteuid?.(account.uid);
    statSync(process.execPath);
    return account;
  } catch {
    write(`An ordinary account cannot run ${process.execPath}, so the packages are installed as root.`);
    return null;
  } finally {
    process.seteuid?.(0);
  }
}

async function readManifests(packed: readonly PackedPackage[]): Promise<{ manifest: Manifest; folder: string }[]> {
  return Promise.all(
    packed.map(async ({ folder }) => ({
      folder,
      manifest: JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest,
    })),
  );
}

async function use(packed: readonly PackedPackage[], isQuick: boolean): Promise<void> {
  const account = chooseAccount();
  const release = await packRelease(root, "swarmbase-release-", { packed, account });
  try {
    const sbom = await tryRelease(release, { root, isQuick, write });
    const file = join(root, "dist/sbom.cdx.json");
    await writeFile(file, sbom);
    write(`wrote ${file}`);
  } finally {
    await release.close();
  }
}

async function release(): Promise<number> {
  const mode = readMode();
  if (mode === null) {
    console.error(USAGE);
    return 2;
  }
  // Read first: the build must not be what changes the working tree.
  const gitStatus = mode === "quick" ? "" : await git("status", "--porcelain");
  const tags =
    mode === "quick" ? [] : (await git("tag", "--points-at", "HEAD")).split("\n").filter((tag) => tag !== "");
  const to = join(root, "dist");
  const packed = await packPackages(
    await buildPackages({ root, to: join(to, "packages"), write }),
    join(to, "tarballs"),
  );
  for (const { name, version, tarball, files } of packed)
    write(`${name}@${version}: ${files.length} files, ${tarball}`);
  const packages = await readManifests(packed);
  const faults = findPackageFaults(packages);
  for (const one of packed) faults.push(...(await findTarballFaults(one)));
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) return 1;
  await use(packed, mode === "quick");
  if (mode === "quick") return 0;
  const changelog = await readFile(join(root, "CHANGELOG.md"), "utf8");
  const newMigrations = findNewMigrations(readTexts(root, MIGRATION_FILES));
  const missing = findPublishingFaults({ packages, changelog, gitStatus, tags, newMigrations });
  for (const fault of missing) console.error(`Before it can be published: ${fault}`);
  if (mode === "dry-run") {
    write("This was a dry run. To publish: npm run release -- --publish");
    return 0;
  }
  if (missing.length > 0) return 1;
  for (const script of ["test", "test:long"]) {
    const { code } = await run("npm", ["run", script], "inherit");
    if (code !== 0) throw new Error(`npm run ${script} failed; correct the cause and start again`);
  }
  for (const one of orderForPublishing(packed)) await publish(one);
  return 0;
}

process.exitCode = await release();
