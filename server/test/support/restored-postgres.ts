import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { join } from "node:path";
import { derivePassword } from "../../src/crypto/index.ts";
import { locateBinaries } from "../../src/db/embedded/locate-binaries.ts";
import { preparePlace } from "../../src/db/embedded/place-cluster.ts";
import { provideBinaries } from "../../src/db/embedded/provide-binaries.ts";
import { EMBEDDED_DATABASE } from "../../src/db/index.ts";
import { findFreePort } from "./free-port.ts";
import { openPostgresServer } from "./postgres-server.ts";
import type { Cleanup } from "./database.ts";

export interface RestoredPostgresOptions {
  /** Of the service whose database was archived: its binaries and configuration are used. */
  readonly dataDir: string;
  readonly masterKey: string;
  /** The restored data directory of PostgreSQL. */
  readonly folder: string;
}

/** Starts PostgreSQL on a restored data directory, as an operator does. Returns the address of the superuser. */
export async function startRestoredPostgres(t: Cleanup, options: RestoredPostgresOptions): Promise<string> {
  const { dataDir, masterKey, folder } = options;
  const { home, account } = await preparePlace(dataDir);
  const binaryPackage = await locateBinaries(process.platform, process.arch);
  const { postgres: program } = await provideBinaries({ binaryPackage, home, account });
  if (account !== null) await promisify(execFile)("chown", ["-R", `${account.uid}:${account.gid}`, folder]);
  const accessFile = `${folder}_hba.conf`;
  await writeFile(accessFile, "host all all 127.0.0.1/32 scram-sha-256\n", { mode: 0o644 });
  const port = await findFreePort();
  const password = derivePassword(masterKey, "postgres");
  const server = openPostgresServer(t, {
    program,
    clusterDir: folder,
    account,
    port,
    url: `postgresql://postgres:${password}@127.0.0.1:${port}/${EMBEDDED_DATABASE}`,
    settings: {
      config_file: join(home, "postgresql.conf"),
      hba_file: accessFile,
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
    },
  });
  await server.start();
  return server.url;
}
