import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { buildPackages } from "./package/build.ts";
import type { Manifest } from "./package/manifest.ts";
import { type PackedPackage, packPackages } from "./package/pack.ts";
import { orderForPublishing } from "./package/publish-order.ts";
import { findReleaseFaults } from "./package/release-faults.ts";

// Builds, checks and packs all packages. Only with --publish are all tests run and the packages published, each after those it depends on.

const root = resolve(`${import.meta.dirname}/..`);
const UNKNOWN = process.argv.slice(2).filter((word) => word !== "--publish");
const isReal = process.argv.includes("--publish");

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

async function release(): Promise<number> {
  if (UNKNOWN.length > 0) {
    console.error(`Unknown: ${UNKNOWN.join(" ")}\nUsage: npm run release [-- --publish]`);
    return 2;
  }
  // Read first: the build must not be what changes the working tree.
  const gitStatus = await git("status", "--porcelain");
  const tags = (await git("tag", "--points-at", "HEAD")).split("\n").filter((tag) => tag !== "");
  const to = join(root, "dist");
  const built = await buildPackages({ root, to: join(to, "packages"), write: (line) => console.log(line) });
  const packages = await Promise.all(
    built.map(async ({ folder }) => ({
      folder,
      manifest: JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest,
    })),
  );
  const changelog = await readFile(join(root, "CHANGELOG.md"), "utf8");
  const faults = findReleaseFaults({ packages, changelog, gitStatus, tags });
  const packed = await packPackages(built, join(to, "tarballs"));
  for (const { name, version, tarball, files } of packed)
    console.log(`${name}@${version}: ${files.length} files, ${tarball}`);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) return 1;
  if (!isReal) {
    console.log("This was a dry run. To publish: npm run release -- --publish");
    return 0;
  }
  for (const script of ["test", "test:long"]) {
    const { code } = await run("npm", ["run", script], "inherit");
    if (code !== 0) throw new Error(`npm run ${script} failed; correct the cause and start again`);
  }
  for (const one of orderForPublishing(packed)) await publish(one);
  return 0;
}

process.exitCode = await release();
