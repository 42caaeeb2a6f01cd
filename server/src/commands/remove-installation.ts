import { realpath } from "node:fs/promises";
import { loadSettings } from "../config/index.ts";
import { hasEmbeddedCluster, listInstallation, removeInstallation } from "../db/index.ts";
import type { Command } from "./command.ts";
import { neverStartedError } from "./never-started-error.ts";
import { parseOptions } from "./parse-options.ts";

export const removeDataCommand: Command = {
  name: "remove-data",
  summary: "remove the embedded database, its keys and certificates",
  help: `
Usage: swarmbase remove-data [--yes]

Lists what belongs to the data directory (DATA_DIR, default .swarmbase), and removes it with --yes: the database, the
master key, the certificates, the mails that were written to files. That includes a database that lies elsewhere: started
as root below a folder that nobody else may enter, it is in /var/lib/swarmbase. Files of yours in the folder stay.

--yes  remove it. There is no way back but a backup: swarmbase backup

The service must be stopped. With DATABASE_URL the database is not ours to remove.`,
  run: async ({ args, env, stdout }) => {
    const { values } = parseOptions(args, { yes: { type: "boolean" } });
    const settings = loadSettings(env);
    if (settings.databaseUrl !== null) {
      throw new Error("DATABASE_URL is set, so the database is not an embedded one, and nothing was removed.");
    }
    if (!(await hasEmbeddedCluster(settings.dataDir))) throw neverStartedError(settings.dataDir);
    const dataDir = await realpath(settings.dataDir);
    if (values["yes"] !== true) {
      const list = (await listInstallation(dataDir)).map((path) => `  ${path}\n`).join("");
      stdout.write(`Would remove:\n${list}Nothing was removed. To remove all of it: swarmbase remove-data --yes\n`);
      return 1;
    }
    const { left } = await removeInstallation(dataDir);
    stdout.write(
      left.length === 0
        ? `Removed ${dataDir} and its database.\n`
        : `Removed what Swarmbase made in ${dataDir}, and its database. Left, because it is not ours: ${left.join(", ")}\n`,
    );
    return 0;
  },
};
