import { realpath } from "node:fs/promises";
import { loadSettings, parseOptions } from "../config/index.ts";
import { listInstallation, removeInstallation } from "../db/index.ts";
import type { Command } from "./command.ts";
import { requireEmbeddedCluster } from "./database-access.ts";
import { typedCommand } from "./typed-command.ts";

export const removeDataCommand: Command = {
  name: "remove-data",
  summary: "remove the embedded database, its keys and certificates",
  help: `
Usage: swarmbase remove-data [--yes]

Lists what belongs to the data directory (DATA_DIR, default .swarmbase), and removes it with --yes: the database, the
master key, the certificates, the mails that were written to files. This includes a database in another place: when the
service was started as root below a folder that only root can enter, it is in /var/lib/swarmbase. Your own files in the
folder stay.

--yes  removes everything in the list. Only a backup can restore it: swarmbase backup

The service must be stopped. The command does not remove a database of DATABASE_URL.`,
  run: async ({ args, env, stdout }) => {
    const { values } = parseOptions(args, { yes: { type: "boolean" } });
    const settings = loadSettings(env);
    if (settings.databaseUrl !== null) {
      throw new Error("DATABASE_URL is set, so there is no embedded database. Nothing was removed.");
    }
    await requireEmbeddedCluster(settings);
    const dataDir = await realpath(settings.dataDir);
    if (values["yes"] !== true) {
      const list = (await listInstallation(dataDir)).map((path) => `  ${path}\n`).join("");
      stdout.write(`Would remove:\n${list}Nothing was removed. To remove it: ${typedCommand("remove-data --yes")}\n`);
      return 1;
    }
    const { left } = await removeInstallation(dataDir);
    stdout.write(
      left.length === 0
        ? `Removed ${dataDir} and its database.\n`
        : `Removed the files of Swarmbase in ${dataDir} and its database. Other files stay: ${left.join(", ")}\n`,
    );
    return 0;
  },
};
