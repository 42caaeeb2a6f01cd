import { fileURLToPath } from "node:url";
import pg from "pg";
import { derivePassword, newMasterKey } from "../../src/crypto/index.ts";
import { type ExtensionSchema, migrate, startEmbedded, withDatabase } from "../../src/db/index.ts";
import type { EmbeddedServer, StartEmbeddedOptions } from "../../src/db/embedded/start-embedded.ts";
import { silentObserver } from "./silent-observer.ts";

export const TEMPLATE = "swarmbase_template";

/** Of the extensions that are loaded by default, so that no test has to apply them. */
const DEFAULT_SCHEMAS: readonly ExtensionSchema[] = [
  {
    schema: "ext_schedules",
    dir: fileURLToPath(new URL("../../../extensions/schedules/sql/", import.meta.url)),
    tables: ["schedules"],
  },
  {
    schema: "ext_triggers",
    dir: fileURLToPath(new URL("../../../extensions/triggers/sql/", import.meta.url)),
    tables: ["triggers", "trigger_calls"],
  },
];

export interface TestCluster {
  readonly adminUrl: string;
  readonly masterKey: string;
  stop(): Promise<void>;
}

export interface TestClusterOptions {
  /** Runs as superuser before the migrations, to prepare a server that is not like our own. */
  readonly prepare?: (admin: pg.Client) => Promise<void>;
  /** Who migrates; default: the superuser. */
  readonly migrateAs?: (adminUrl: string) => string;
  /** Schemas of extensions that the template gets too; default: those that are loaded by default. */
  readonly extensions?: readonly ExtensionSchema[];
  /** How PostgreSQL is started; default: as the product does. */
  readonly start?: (options: StartEmbeddedOptions) => Promise<Pick<EmbeddedServer, "adminUrl" | "stop">>;
}

export async function startTestCluster(dataDir: string, options: TestClusterOptions = {}): Promise<TestCluster> {
  const masterKey = newMasterKey();
  const { start = startEmbedded } = options;
  const server = await start({
    dataDir,
    wantedPort: 0,
    superuserPassword: derivePassword(masterKey, "postgres"),
    observer: silentObserver,
  });
  try {
    const admin = new pg.Client({ connectionString: server.adminUrl });
    await admin.connect();
    await admin.query(`create database ${TEMPLATE}`);
    await options.prepare?.(admin);
    await admin.end();
    const templateUrl = withDatabase(server.adminUrl, TEMPLATE);
    await migrate({
      adminUrl: options.migrateAs?.(templateUrl) ?? templateUrl,
      masterKey,
      observer: silentObserver,
      settings: { agentLimitPerUser: 100 },
      extensions: options.extensions ?? DEFAULT_SCHEMAS,
    });
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { adminUrl: server.adminUrl, masterKey, stop: () => server.stop() };
}
