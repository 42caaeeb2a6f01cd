import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { BuiltPackage } from "./build.ts";

export interface PackedPackage extends BuiltPackage {
  readonly tarball: string;
  readonly integrity: string;
  /** The paths in the tarball. */
  readonly files: readonly string[];
}

interface PackReport {
  readonly name: string;
  readonly filename: string;
  readonly integrity: string;
  readonly files: readonly { readonly path: string }[];
}

const MAX_REPORT_BYTES = 64 * 1024 ** 2;

/** Runs `npm pack` once for all built packages. */
export async function packPackages(packages: readonly BuiltPackage[], to: string): Promise<PackedPackage[]> {
  await mkdir(to, { recursive: true });
  const folders = packages.map(({ folder }) => folder);
  const { stdout } = await promisify(execFile)("npm", ["pack", "--json", "--pack-destination", to, ...folders], {
    maxBuffer: MAX_REPORT_BYTES,
    shell: process.platform === "win32",
  });
  const reports = JSON.parse(stdout) as readonly PackReport[];
  return packages.map((one) => {
    const report = reports.find(({ name }) => name === one.name);
    if (report === undefined) throw new Error(`npm pack says nothing about ${one.name}`);
    const { filename, integrity, files } = report;
    return { ...one, tarball: join(to, filename), integrity, files: files.map(({ path }) => path) };
  });
}
