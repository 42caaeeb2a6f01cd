import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Observer } from "../observe/index.ts";
import { ensureRoles } from "./ensure-roles.ts";
import { DatabaseClient } from "./hosts/database-client.ts";
import { OWNER_ROLE } from "./plan-roles.ts";
import { type AppliedSchema, applySchema } from "./schema/apply-schema.ts";
import type { ExtensionSchema } from "./schema/extension-schemas.ts";
import { tryMigrationLock, waitForMigrationLock } from "./sql/migration-lock.ts";
import { writeSettings } from "./sql/write-settings.ts";

/**
 * A statement that waits for a table makes every later request to that table wait too. It gives up before PostgreSQL looks for
 * deadlocks (after a second), which could end a request instead of the migration.
 */
const LOCK_TIMEOUT_MS = 500;
const LOCK_RETRY_MS = 500;
const LOCK_TRIES = 120;
/** SQLSTATE lock_not_available and deadlock_detected. */
const LOCK_FAULTS = new Set(["55P03", "40P01"]);

export interface MigrateOptions {
  readonly adminUrl: string;
  readonly masterKey: string;
  readonly observer: Observer;
  /** What is absent stays as the database has it. */
  readonly settings: {
    readonly agentLimitPerUser: number;
    readonly agentVersionsKept?: number;
    readonly agentPublishers?: string;
    readonly agentSummaryModel?: string | null;
    readonly invitationTtlDays?: number;
    readonly eventLimitBytes?: number;
  };
  /** Where the SQL files are; default: those of the product. */
  readonly schemaDir?: string;
  readonly extensions?: readonly ExtensionSchema[];
  /** Runs after the migrations, under the same lock, as the owner of the schema. */
  afterMigrate?(client: pg.Client): Promise<void>;
}

/** Brings roles, schema and the settings that the schema needs up to date. Nodes that start together take turns. */
export async function migrate(options: MigrateOptions): Promise<AppliedSchema> {
  const client = new DatabaseClient({ connectionString: options.adminUrl, application_name: "swarmbase migrate" });
  client.on("error", (error) => options.observer.note("database.connection_lost", { error }));
  await client.connect();
  try {
    await takeLock(client, options.observer);
    await ensureRoles(client, options);
    await client.query(`set role ${OWNER_ROLE}; set search_path = ''; set lock_timeout = '${LOCK_TIMEOUT_MS}ms'`);
    const { applied, waiting } = await applyWithRetries(client, options);
    if (applied.length > 0) options.observer.note("database.migrated", { applied });
    if (waiting.length > 0) options.observer.note("database.contract_waiting", { migrations: waiting });
    await client.query("reset lock_timeout");
    await writeSettings(client, {
      agent_limit_per_user: options.settings.agentLimitPerUser,
      agent_versions_kept: options.settings.agentVersionsKept,
      agent_publishers: options.settings.agentPublishers,
      agent_summary_framework: toFramework(options.settings.agentSummaryModel),
      invitation_days: options.settings.invitationTtlDays,
      event_limit_bytes: options.settings.eventLimitBytes,
    });
    await options.afterMigrate?.(client);
    return { applied, waiting };
  } finally {
    await client.end();
  }
}

/** Of `AGENT_SUMMARY_MODEL`; empty: models of the agents write summaries. */
function toFramework(model: string | null | undefined): string | undefined {
  return model === undefined ? undefined : (model?.split("/")[0] ?? "");
}

async function takeLock(client: pg.Client, observer: Observer): Promise<void> {
  if (await tryMigrationLock(client)) return;
  observer.note("database.migration_waiting");
  await waitForMigrationLock(client);
}

/** All or nothing is applied each time, so a try that failed has changed nothing. */
async function applyWithRetries(client: pg.Client, options: MigrateOptions): Promise<AppliedSchema> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await applySchema(client, options);
    } catch (error) {
      const isLock = error instanceof pg.DatabaseError && LOCK_FAULTS.has(error.code ?? "");
      if (!isLock || tries === LOCK_TRIES) throw error;
      if (tries === 1) options.observer.note("database.migration_blocked", { error });
      await sleep(LOCK_RETRY_MS);
    }
  }
}
