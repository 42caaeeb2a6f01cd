import { backupCommand } from "./backup.ts";
import { certificateCommand } from "./certificate.ts";
import type { Command } from "./command.ts";
import { doctorCommand } from "./doctor.ts";
import { keysCommand } from "./keys.ts";
import { listenCommand } from "./listen.ts";
import { migrateCommand } from "./migrate.ts";
import { psqlCommand } from "./psql.ts";
import { removeDataCommand } from "./remove-installation.ts";
import { restoreCommand } from "./restore.ts";
import { resumeCommand } from "./resume.ts";
import { serveCommand } from "./serve.ts";
import { upgradeCommand } from "./upgrade.ts";

const versionCommand: Command = {
  name: "version",
  summary: "print the version",
  help: "Prints the versions of Swarmbase and of Node.js.",
  run: async ({ stdout, version }) => {
    stdout.write(`swarmbase ${version} (node ${process.versions.node})\n`);
    return 0;
  },
};

export const COMMANDS: readonly Command[] = [
  serveCommand,
  migrateCommand,
  keysCommand,
  certificateCommand,
  listenCommand,
  backupCommand,
  restoreCommand,
  resumeCommand,
  upgradeCommand,
  doctorCommand,
  removeDataCommand,
  psqlCommand,
  versionCommand,
];
