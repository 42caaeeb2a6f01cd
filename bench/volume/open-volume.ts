import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import pg from "pg";
import { joinPartitions } from "../../server/test/support/join-partitions.ts";
import type { Closers } from "../load/closers.ts";
import type { Progress } from "../rest/progress.ts";
import { startVersion, type Version } from "../versions/start-version.ts";
import { fillTables, type Owners, prepareOwners, readOwners } from "./fill.ts";

/** A service with this many deliveries and messages. */
export interface Volume {
  readonly rows: number;
  readonly service: Version;
  readonly owners: Owners;
  /** Connects as the owner of the tables. */
  connect(): Promise<pg.Client>;
}

export interface VolumeOptions {
  readonly rows: number;
  /** Of the receiver of webhooks. */
  readonly caFile: string;
  /** Keeps the database. If it is there already, its rows are used as they are. */
  readonly dataDir?: string | undefined;
}

/** The bounds of the partitions: four weeks that are kept, one that is due, and the next one, as after weeks of service. */
const BOUNDS_DAYS_AGO = [31, 24, 17, 10, -7];

export async function openVolume(
  closers: Closers,
  progress: Progress,
  { rows, caFile, dataDir }: VolumeOptions,
): Promise<Volume> {
  const isFilled = dataDir !== undefined && (await isThere(join(dataDir, "credentials.json")));
  progress.stage(`a service for ${rows.toLocaleString("en")} rows starts`);
  const service = await startVersion({
    name: "the service",
    folder: resolve(import.meta.dirname, "../.."),
    settings: {
      ALLOW_SIMULATED: "1",
      // Retention is what is measured, so the service itself keeps everything.
      WEBHOOK_RETENTION_DAYS: "0",
      WEBHOOK_CA_FILE: caFile,
      WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8",
    },
    ...(dataDir !== undefined && { dataDir: resolve(dataDir) }),
  });
  closers.add(() => service.stop());
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client(service.databaseUrl);
    // A signal stops the service while connections are open.
    client.on("error", () => {});
    await client.connect();
    closers.add(() => client.end());
    return client;
  };
  const owner = await connect();
  const owners = isFilled ? await readOwners(owner) : await fill(service, owner, { rows, connect, progress });
  progress.stage("vacuum");
  await owner.query("vacuum analyze public.webhook_deliveries");
  await owner.query("vacuum analyze public.messages");
  return { rows, service, owners, connect };
}

async function fill(
  service: Version,
  owner: pg.Client,
  { rows, connect, progress }: Pick<Volume, "rows" | "connect"> & { readonly progress: Progress },
): Promise<Owners> {
  const user = await service.signUp();
  const owners = await prepareOwners(owner, user.id);
  await joinPartitions(owner, "webhook_deliveries");
  for (const daysAgo of BOUNDS_DAYS_AGO)
    await owner.query(
      "select private.close_last_partition('public.webhook_deliveries', private.get_first_id(now() - $1 * interval '1 day'))",
      [daysAgo],
    );
  progress.stage(`${rows.toLocaleString("en")} rows are inserted`);
  await fillTables(connect, owners, rows, (done) => progress.step(done));
  return owners;
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
