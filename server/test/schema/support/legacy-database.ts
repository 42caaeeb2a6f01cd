import { randomBytes } from "node:crypto";
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type pg from "pg";
import { connectClient, migrate, withDatabase } from "../../../src/db/index.ts";
import { ensureRoles } from "../../../src/db/ensure-roles.ts";
import { LEGACY_EQUALS } from "../../../src/db/schema/legacy-history.ts";
import { type Cleanup, sharedCluster } from "../../support/database.ts";
import { silentObserver } from "../../support/silent-observer.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

/** The first 37 migrations of the numbering before the current one, and the folder of the product that has the others. */
const FOLDERS = ["../fixtures/migrations/", "../../../migrations/legacy/"].map(
  (path) => new URL(path, import.meta.url),
);
/** Rows for every table of the first 37 migrations. */
const ROWS = new URL("../fixtures/rows.sql", import.meta.url);

/** Migrations 0015 and 0016 as they were, and the functions of that time: signatures alone, since no later migration reads a body. */
const AT_0016 = fileURLToPath(new URL("../fixtures/0016/", import.meta.url));
const MIGRATIONS = fileURLToPath(new URL("../../../migrations/", import.meta.url));

export interface LegacyDatabase {
  readonly adminUrl: string;
  readonly masterKey: string;
  /** Superuser. */
  readonly client: pg.Client;
}

/** A database as earlier programs made it: `count` of their migrations, with rows that were written after the first 37. */
export async function buildLegacyDatabase(t: Cleanup, count: number): Promise<LegacyDatabase> {
  const { adminUrl: serverUrl, masterKey } = sharedCluster();
  const name = `legacy_${randomBytes(6).toString("hex")}`;
  const server = await connectClient(serverUrl);
  await server.query(`create database ${name}`);
  const adminUrl = withDatabase(serverUrl, name);
  const client = await connectClient(adminUrl);
  t.after(async () => {
    await client.end();
    await server.query(`drop database ${name} with (force)`);
    await server.end();
  });
  await ensureRoles(client, { adminUrl, masterKey });
  const steps = (await Promise.all(FOLDERS.map(readSteps))).flat();
  await client.query("set role swarmbase_owner; set search_path = ''");
  await client.query(`create schema private;
    create table private.migrations (id serial primary key, name varchar(255) not null, run_on timestamp not null)`);
  for (const [place, step] of steps.slice(0, count).entries()) {
    if (place === 37) await writeRows(client);
    await client.query(step.text);
    await client.query("insert into private.migrations (name, run_on) values ($1, now())", [step.name]);
  }
  if (count === 37) await writeRows(client);
  await client.query("reset role");
  return { adminUrl, masterKey, client };
}

/** A database with the names that objects had up to migration 0016: `count` legacy steps, carried over with the files of that time. */
export async function buildDatabaseAt0016(t: Cleanup, count: number): Promise<LegacyDatabase> {
  const legacy = await buildLegacyDatabase(t, count);
  const schemaDir = await createTemporaryFolder(t, "swarmbase-schema-");
  await cp(AT_0016, schemaDir, { recursive: true });
  await mkdir(join(schemaDir, "migrations/legacy"));
  await cp(join(MIGRATIONS, "legacy"), join(schemaDir, "migrations/legacy"), { recursive: true });
  // A carried-over database has what these migrations create, so only their names count.
  for (const file of await readdir(MIGRATIONS))
    if (file.endsWith(".sql") && file <= `${LEGACY_EQUALS}.sql`)
      await writeFile(join(schemaDir, "migrations", file), "");
  const { adminUrl, masterKey } = legacy;
  await migrate({ adminUrl, masterKey, schemaDir, observer: silentObserver, settings: { agentLimitPerUser: 100 } });
  return legacy;
}

async function readSteps(folder: URL): Promise<{ name: string; text: string }[]> {
  const files = (await readdir(folder)).sort();
  return await Promise.all(
    files.map(async (file) => ({
      name: file.slice(0, -".sql".length),
      text: await readFile(new URL(file, folder), "utf8"),
    })),
  );
}

/** Without triggers and foreign keys, so that rows stand as they are written and in any order. */
async function writeRows(client: pg.Client): Promise<void> {
  const text = await readFile(ROWS, "utf8");
  await client.query(`begin; reset role; set local session_replication_role = replica;\n${text}\n;commit`);
  await client.query("set role swarmbase_owner");
}
