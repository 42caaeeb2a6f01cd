import type { Client } from "pg";
import type { Observer } from "../observe/index.ts";
import { keepConnected } from "./keep-connected.ts";
import type { ExtensionSchema } from "./schema/extension-schemas.ts";
import { describeContracts } from "./schema/plan-schema.ts";
import { isContractName, levelOf, listMigrations } from "./schema/schema-files.ts";
import { whileNobodyMigrates } from "./sql/migration-lock.ts";
import { selectHistory } from "./sql/schema-history.ts";
import { holdLevel } from "./sql/schema-levels.ts";

interface SchemaLevelsOptions {
  /** Not through a transaction pooler: the locks belong to a session. The role can read the history. */
  readonly url: string;
  readonly extensions: readonly ExtensionSchema[];
  readonly observer: Observer;
  /** Called for each new connection, when the locks are held. */
  onHeld(): void;
}

/**
 * Shows newer releases which schema this node can use, by locks on one connection, so that they do not remove anything from it. Rejects
 * when that has happened nevertheless, while the connection was lost.
 */
export async function holdSchemaLevels(options: SchemaLevelsOptions, signal: AbortSignal): Promise<void> {
  const { url, extensions, observer, onHeld } = options;
  const schemas = new Map([["private", await listMigrations()]]);
  for (const { schema, dir } of extensions) schemas.set(schema, await listMigrations(dir));
  const outdated = new AbortController();
  await keepConnected(
    {
      url,
      applicationName: "swarmbase-schema-level",
      onConnected: async (client) => {
        const contracts = await whileNobodyMigrates(client, () => holdAll(client, schemas));
        if (contracts.length > 0) outdated.abort(new Error(describeContracts(contracts)));
        else onHeld();
      },
      onLost: (error) => observer.note("database.connection_lost", { error }),
    },
    AbortSignal.any([signal, outdated.signal]),
  );
  if (!signal.aborted) throw outdated.signal.reason;
}

/** Takes the names of the migrations of each schema. Resolves with the contract migrations that are not among them. */
async function holdAll(client: Client, schemas: ReadonlyMap<string, readonly string[]>): Promise<string[]> {
  const contracts: string[] = [];
  for (const [schema, known] of schemas) {
    await holdLevel(client, schema, levelOf(known));
    const { migrations } = await selectHistory(client, schema);
    contracts.push(...[...migrations.keys()].filter((name) => isContractName(name) && !known.includes(name)));
  }
  return contracts;
}
