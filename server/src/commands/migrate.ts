import { openMasterKey, prepareDatabase } from "../prepare-database.ts";
import { loadSettings } from "../config/index.ts";
import { openServer } from "../db/index.ts";
import type { Command } from "./command.ts";
import { createCommandObserver } from "./create-command-observer.ts";
import { loadConfiguredExtensions } from "./load-configured-extensions.ts";
import { parseOptions } from "./parse-options.ts";

export const migrateCommand: Command = {
  name: "migrate",
  summary: "migrate the database without serving",
  help: `
Usage: swarmbase migrate

Applies pending migrations and creates missing keys. "serve" does the same when it starts; this command is for
deployments with a separate migration step. Several may run at the same time.`,
  run: async (context) => {
    parseOptions(context.args, {});
    const settings = loadSettings(context.env);
    const extensions = await loadConfiguredExtensions(settings, context.env);
    const observer = createCommandObserver(settings, context);
    const masterKey = await openMasterKey(settings);
    const onProgress = (line: string) => context.stderr.write(`${line}\n`);
    const server = await openServer({ settings, masterKey, observer, ...context, onProgress });
    try {
      const { clock } = context;
      const { applied } = await prepareDatabase({ settings, extensions, observer, clock, server, masterKey });
      context.stdout.write(
        applied.length === 0
          ? "The database is up to date.\n"
          : `Applied:\n${applied.map((name) => `  ${name}\n`).join("")}`,
      );
    } finally {
      await server.close();
    }
    return 0;
  },
};
