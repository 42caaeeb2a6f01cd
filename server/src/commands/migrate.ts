import { loadSettings, parseOptions, type Settings } from "../config/index.ts";
import type { LoadedExtension } from "../extensions/index.ts";
import { prepareDatabase, type PreparedDatabase } from "../wiring/index.ts";
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
    const result = await applyMigrations(settings, context, (line) => context.stderr.write(`${line}\n`));
    context.stdout.write(renderMigrations("Applied", result.applied, result.waiting));
    return 0;
  },
};

/** `check` may throw before anything is changed. */
export async function applyMigrations(
  settings: Settings,
  context: CommandContext,
  onProgress: (line: string) => void,
  check?: (access: ServerAccess, extensions: readonly LoadedExtension[]) => Promise<void>,
): Promise<Pick<PreparedDatabase, "applied" | "waiting">> {
  const extensions = await loadConfiguredExtensions(settings, context.env);
  const work = async (access: ServerAccess): Promise<PreparedDatabase> => {
    await check?.(access, extensions);
    return prepareDatabase({ settings, environment: context.env, extensions, clock: context.clock, ...access });
  };
  return withServer(settings, context, work, onProgress);
}

export function renderMigrations(title: string, names: readonly string[], waiting: readonly string[]): string {
  const parts = [
    ...(names.length === 0 ? [] : [`${title}:\n${listNames(names)}`]),
    ...(waiting.length === 0
      ? []
      : [`Waiting until no node of an older release runs (then run this command again):\n${listNames(waiting)}`]),
  ];
  return parts.length === 0 ? "The database is up to date.\n" : parts.join("");
}

function listNames(names: readonly string[]): string {
  return names.map((name) => `  ${name}\n`).join("");
}
