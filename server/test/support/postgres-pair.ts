import { execFile } from "node:child_process";
import { chown, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { derivePassword } from "../../src/crypto/index.ts";
import { locateBinaries } from "../../src/db/embedded/locate-binaries.ts";
import { preparePlace } from "../../src/db/embedded/place-cluster.ts";
import { provideBinaries } from "../../src/db/embedded/provide-binaries.ts";
import { EMBEDDED_DATABASE } from "../../src/db/index.ts";
import type { Cleanup } from "./database.ts";
import { findFreePort } from "./free-port.ts";
import { askServer, openPostgresServer, type PostgresServer } from "./postgres-server.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";
import { until } from "./until.ts";
import { fillDataDir } from "./used-data-dir.ts";

export interface PostgresPair {
  readonly primary: PostgresServer;
  /** A streaming replica that must confirm every commit of the primary. */
  readonly replica: PostgresServer;
  readonly masterKey: string;
  /** Both hosts, with `target_session_attrs`. */
  readonly url: string;
  /** Makes the replica the primary. */
  promote(): Promise<void>;
}

/** A primary and its synchronous replica, with the schema of the service, from the PostgreSQL that the product ships. */
export async function startPostgresPair(t: Cleanup): Promise<PostgresPair> {
  const folder = await createTemporaryFolder(t, "swarmbase-pair-");
  await fillDataDir(folder);
  const masterKey = (await readFile(join(folder, "master.key"), "utf8")).trim();
  const { home, clusterDir, account } = await preparePlace(folder);
  const binaryPackage = await locateBinaries(process.platform, process.arch);
  const { postgres: program } = await provideBinaries({ binaryPackage, home, account });
  const copyDir = join(home, "replica");
  await promisify(execFile)("cp", ["-a", clusterDir, copyDir]);
  const signalFile = join(copyDir, "standby.signal");
  await writeFile(signalFile, "");
  if (account !== null) await chown(signalFile, account.uid, account.gid);
  const accessFile = join(home, "pair_hba.conf");
  const ways = ["all", "replication"].map((database) => `host ${database} all 127.0.0.1/32 scram-sha-256\n`);
  await writeFile(accessFile, ways.join(""), { mode: 0o644 });

  const password = derivePassword(masterKey, "postgres");
  const ports = [await findFreePort(), await findFreePort()] as const;
  const shared = {
    config_file: join(home, "postgresql.conf"),
    hba_file: accessFile,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    // Processes are killed here, not machines.
    fsync: "off",
  };
  const urlOf = (hosts: string): string => `postgresql://postgres:${password}@${hosts}/${EMBEDDED_DATABASE}`;
  const open = (place: 0 | 1, directory: string, settings: Record<string, string>): PostgresServer =>
    openPostgresServer(t, {
      program,
      clusterDir: directory,
      account,
      port: ports[place],
      url: urlOf(`127.0.0.1:${ports[place]}`),
      settings: { ...shared, ...settings },
    });
  const primary = open(0, clusterDir, { synchronous_standby_names: "*" });
  const replica = open(1, copyDir, {
    primary_conninfo: `host=127.0.0.1 port=${ports[0]} user=postgres password=${password} application_name=replica`,
  });
  await primary.start();
  await replica.start();
  await until(() =>
    askServer(primary.url, "select count(*) = 1 as is_so from pg_stat_replication where sync_state = 'sync'"),
  );
  return {
    primary,
    replica,
    masterKey,
    url: `${urlOf(ports.map((port) => `127.0.0.1:${port}`).join(","))}?target_session_attrs=read-write`,
    promote: async () => {
      await askServer(replica.url, "select pg_promote(true, 60) as is_so");
    },
  };
}
