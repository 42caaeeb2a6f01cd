import { findCredentials } from "../auth/index.ts";
import { loadSettings, parseOptions, type Settings } from "../config/index.ts";
import { buildOwnerUrl } from "../db/index.ts";
import type { Command } from "./command.ts";
import { neverStartedError } from "./database-access.ts";
import { quoteForShell } from "./quote-for-shell.ts";

export const psqlCommand: Command = {
  name: "psql",
  summary: "print how to connect to the database",
  help: `
Usage: swarmbase psql

Prints the connection string of the role that owns the schema, password included, and a command line for psql, which
is not part of Swarmbase. Any PostgreSQL client works.`,
  run: async ({ args, env, stdout }) => {
    parseOptions(args, {});
    const settings = loadSettings(env);
    const url = await getOwnerUrl(settings);
    const notes = settings.databaseUrl === null ? ["The embedded database runs only while the service runs.", ""] : [];
    stdout.write(
      [`Connection string:  ${url}`, `With psql:          psql ${quoteForShell(url)}`, "", ...notes].join("\n"),
    );
    return 0;
  },
};

async function getOwnerUrl(settings: Settings): Promise<string> {
  const { databaseUrl, masterKey, dataDir } = settings;
  if (databaseUrl !== null && masterKey !== null) return buildOwnerUrl(databaseUrl, settings, masterKey);
  const credentials = await findCredentials(dataDir);
  if (credentials === null) throw neverStartedError(dataDir);
  return credentials.database_url;
}
