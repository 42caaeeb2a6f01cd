import type { Command } from "./command.ts";
import { keysCommand } from "./keys.ts";
import { listenCommand } from "./listen.ts";
import { migrateCommand } from "./migrate.ts";
import { psqlCommand } from "./psql.ts";
import { serveCommand } from "./serve.ts";
import { versionCommand } from "./version.ts";

export const COMMANDS: readonly Command[] = [
  serveCommand,
  migrateCommand,
  keysCommand,
  listenCommand,
  psqlCommand,
  versionCommand,
];
