import { type Environment, loadSettings, type Settings, SettingsError } from "../config/index.ts";
import type { ExtensionSchema } from "../db/index.ts";
import type { LoadedExtension } from "../extensions/index.ts";
import type { Command } from "./command.ts";
import { isCoreCommand, takesModes } from "./command-table.ts";
import { openCommandContext } from "./extension-command-context.ts";

/** A command of an extension. With mode options it is a mode of the command of the core that has the same name. */
export interface OpenedCommand extends Command {
  readonly modeOptions: readonly string[] | null;
}

/** The commands of the extensions that `EXTENSIONS` names. */
export async function loadExtensionCommands(env: Environment): Promise<readonly OpenedCommand[]> {
  const settings = loadSettings(env);
  const { loadExtensions } = await import("../extensions/index.ts");
  const extensions = await loadExtensions({ names: settings.extensions, environment: env });
  const schemas = extensions.flatMap(({ schema }) => schema ?? []);
  const commands = extensions.flatMap((loaded) => openCommands(loaded, settings, schemas));
  const faults = commands.flatMap(({ name, modeOptions }) => {
    if (modeOptions !== null) return takesModes(name) ? [] : [`EXTENSIONS: the command ${name} takes no modes`];
    return name === "help" || isCoreCommand(name) ? [`EXTENSIONS: the command ${name} is one of the core`] : [];
  });
  if (faults.length === 0) return commands;
  throw new SettingsError(faults);
}

function openCommands(
  loaded: LoadedExtension,
  serviceSettings: Settings,
  schemas: readonly ExtensionSchema[],
): readonly OpenedCommand[] {
  return (loaded.extension.commands ?? []).map((command) => ({
    name: command.name,
    summary: command.summary,
    help: command.help,
    modeOptions: command.modeOptions ?? null,
    run: (context) => command.run(openCommandContext(loaded, serviceSettings, schemas, context)),
  }));
}
