import { openMasterKey, prepareDatabase } from "../prepare-database.ts";
import { loadSettings } from "../config/index.ts";
import { openServer } from "../db/index.ts";
import type { Command } from "./command.ts";
import { createCommandObserver } from "./create-command-observer.ts";
import { parseOptions } from "./parse-options.ts";

export const migrateCommand: Command = {
  name: "migrate",
  summary: "bring the database up to date without serving",
  help: `
Usage: swarmbase migrate

Applies the migrations that the database lacks and makes the keys that are missing. "serve" does the same when it
starts; this is for deployments that do it as a step of their own. Any number of them may run at once.`,
  run: async (context) => {
    parseOptions(context.args, {});
    const settings = loadSettings(context.env);
    const observer = createCommandObserver(settings, context);
    const masterKey = await openMasterKey(settings);
    const onProgress = (line: string) => context.stderr.write(`${line}\n`);
    const server = await openServer({ settings, masterKey, observer, ...context, onProgress });
    try {
      const { applied } = await prepareDatabase({ settings, observer, clock: context.clock, server, masterKey });
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
