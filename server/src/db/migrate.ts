import pg from "pg";
import type { Observer } from "../observe/index.ts";
import { ensureRoles } from "./ensure-roles.ts";
import { OWNER_ROLE } from "./plan-roles.ts";
import { applySchema } from "./schema/apply-schema.ts";
import type { ExtensionSchema } from "./schema/extension-schemas.ts";
import { writeSettings } from "./sql/write-settings.ts";

/** Any number will do, as long as every node takes the same. */
const LOCK_KEY = 7_302_911_402;

export interface MigrateOptions {
  readonly adminUrl: string;
  readonly masterKey: string;
  readonly observer: Observer;
  /** Without `agentVersionsKept` the database keeps what it had. */
  readonly settings: { readonly agentLimitPerUser: number; readonly agentVersionsKept?: number };
  /** Where the SQL files are; default: those of the product. */
  readonly schemaDir?: string;
  readonly extensions?: readonly ExtensionSchema[];
  /** Runs after the migrations, under the same lock, as the owner of the schema. */
  afterMigrate?(client: pg.Client): Promise<void>;
}

/** Brings roles, schema and the settings that the schema needs up to date. Nodes that start together take turns. */
export async function migrate(options: MigrateOptions): Promise<{ applied: string[] }> {
  const client = new pg.Client({ connectionString: options.adminUrl, application_name: "swarmbase migrate" });
  client.on("error", (error) => options.observer.note("database.connection_lost", { error }));
  await client.connect();
  try {
    await takeLock(client, options.observer);
    await ensureRoles(client, options);
    await client.query(`set role ${OWNER_ROLE}; set search_path = ''; set lock_timeout = '30s'`);
    const applied = await applySchema(client, options);
    if (applied.length > 0) options.observer.note("database.migrated", { applied });
    await writeSettings(client, {
      agent_limit_per_user: options.settings.agentLimitPerUser,
      agent_versions_kept: options.settings.agentVersionsKept,
    });
    await options.afterMigrate?.(client);
    return { applied };
  } finally {
    await client.end();
  }
}

/** Ending the connection gives the lock back, however it ends. */
async function takeLock(client: pg.Client, observer: Observer): Promise<void> {
  const { rows } = await client.query<{ taken: boolean }>("select pg_try_advisory_lock($1) as taken", [LOCK_KEY]);
  if (rows[0]?.taken === true) return;
  observer.note("database.migration_waiting");
  await client.query("select pg_advisory_lock($1)", [LOCK_KEY]);
}
