import { loadSettings, parseOptions, type Settings } from "../config/index.ts";
import type { LoadedExtension } from "../extensions/index.ts";
import { prepareDatabase } from "../prepare-database.ts";
import type { Command, CommandContext } from "./command.ts";
import { type ServerAccess, withServer } from "./database-access.ts";
import { loadConfiguredExtensions } from "./load-configured-extensions.ts";

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
    const applied = await applyMigrations(settings, context, (line) => context.stderr.write(`${line}\n`));
    context.stdout.write(renderApplied("Applied", applied));
    return 0;
  },
};

/** Resolves with the names of what was applied. `check` may throw before anything is changed. */
export async function applyMigrations(
  settings: Settings,
  context: CommandContext,
  onProgress: (line: string) => void,
  check?: (access: ServerAccess, extensions: readonly LoadedExtension[]) => Promise<void>,
): Promise<readonly string[]> {
  const extensions = await loadConfiguredExtensions(settings, context.env);
  const work = async (access: ServerAccess): Promise<readonly string[]> => {
    await check?.(access, extensions);
    return (await prepareDatabase({ settings, extensions, clock: context.clock, ...access })).applied;
  };
  return withServer(settings, context, work, onProgress);
}

export function renderApplied(title: string, names: readonly string[]): string {
  if (names.length === 0) return "The database is up to date.\n";
  return `${title}:\n${names.map((name) => `  ${name}\n`).join("")}`;
}
