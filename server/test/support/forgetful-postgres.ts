import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { initialiseCluster } from "../../src/db/embedded/initialise-cluster.ts";
import { locateBinaries } from "../../src/db/embedded/locate-binaries.ts";
import { makeDataDirectory, preparePlace } from "../../src/db/embedded/place-cluster.ts";
import { provideBinaries } from "../../src/db/embedded/provide-binaries.ts";
import { runCluster } from "../../src/db/embedded/run-cluster.ts";
import { type EmbeddedServer, type StartEmbeddedOptions, startEmbedded } from "../../src/db/embedded/start-embedded.ts";

/** Hundreds of databases are made and dropped, none has to outlive the machine, and every drop walks all buffers. */
const FORGETFUL: Readonly<Record<string, string>> = {
  fsync: "off",
  full_page_writes: "off",
  shared_buffers: "128MB",
  autovacuum: "off",
  checkpoint_timeout: "1h",
  max_wal_size: "2GB",
  // Four test files at a time, each with several nodes.
  max_connections: "300",
  scram_iterations: "1",
};

/** How a server plans and compiles statements stays as PostgreSQL comes: these say only what is kept, and for how many clients. */
const STOCK: Readonly<Record<string, string>> = {
  fsync: "off",
  full_page_writes: "off",
  wal_level: "logical",
  max_connections: "300",
  scram_iterations: "1",
};

/** A new cluster run as the product runs its own, but for what has to outlive the machine. */
export function startForgetful(o: StartEmbeddedOptions): Promise<EmbeddedServer> {
  return start(o, () => FORGETFUL);
}

/** The same, with a server that ends at its first starts with these lines of its log. */
export function startFailing(o: StartEmbeddedOptions, lines: readonly string[]): Promise<EmbeddedServer> {
  return start(o, () => FORGETFUL, lines);
}

/** A new cluster with the configuration that initdb writes, as on a server that nobody has tuned. */
export function startStock(o: StartEmbeddedOptions): Promise<EmbeddedServer> {
  return start(o, (clusterDir) => ({ config_file: join(clusterDir, "postgresql.conf"), ...STOCK }));
}

/**
 * The product gives the settings that keep data safe on the command line, where nothing goes round them but a later word of the
 * same line.
 */
async function start(
  o: StartEmbeddedOptions,
  settingsFor: (clusterDir: string) => Readonly<Record<string, string>>,
  failures: readonly string[] = [],
): Promise<EmbeddedServer> {
  // The wrappers are for a shell.
  if (process.platform === "win32") return startEmbedded(o);
  const binaryPackage = await locateBinaries(process.platform, process.arch);
  const dataDir = makeDataDirectory(o.dataDir);
  const place = await preparePlace(dataDir);
  const { home, clusterDir, account, record } = place;
  const real = await provideBinaries({ binaryPackage, home, account });
  const binaries = {
    ...real,
    initdb: await wrap(dataDir, real.initdb, ["--no-sync", "--set", "scram_iterations=1"]),
    postgres: await wrap(
      dataDir,
      real.postgres,
      Object.entries(settingsFor(clusterDir)).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
      failures,
    ),
  };
  const { superuserPassword } = o;
  await initialiseCluster({ home, clusterDir, initdb: binaries.initdb, account, superuserPassword });
  return runCluster({
    ...o,
    ...place,
    dataDir,
    binaries,
    record: { ...record, isInitialised: true },
    releaseLocks: () => {},
  });
}

async function wrap(
  folder: string,
  program: string,
  words: readonly string[],
  failures: readonly string[] = [],
): Promise<string> {
  const path = join(folder, `forgetful-${program.slice(program.lastIndexOf("/") + 1)}`);
  // The server runs in the folder of the cluster, where it may create files.
  const fail = failures.map((line, at) => `test -e failed-${at} || { : >failed-${at}; echo '${line}' >&2; exit 1; }\n`);
  await writeFile(path, `#!/bin/sh\n${fail.join("")}exec "${program}" "$@" ${words.join(" ")}\n`);
  await chmod(path, 0o755);
  return path;
}
