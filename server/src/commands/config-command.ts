import {
  describeSettings,
  type Environment,
  findLikelyTypos,
  loadSettings,
  parseOptions,
  readExtensionSettings,
  type SettingInForce,
} from "../config/index.ts";
import type { LoadedExtension } from "../extensions/index.ts";
import type { Command } from "./command.ts";
import { printable } from "./printable.ts";
import { listExtensionVariables, loadConfiguredExtensions } from "./load-configured-extensions.ts";

interface Difference {
  readonly name: string;
  readonly value: string;
  /** Null when there is none, or when it depends on other settings. */
  readonly default: string | null;
}

export const configCommand: Command = {
  name: "config",
  summary: "print the settings that differ from their defaults",
  help: `
Usage: swarmbase config [--json]

Prints the settings of this environment that differ from their defaults, of the service and of its extensions, and points
out variables that look like a misspelt setting. Does not show secrets. Connects to nothing.

--json  prints them as JSON: [{"name", "value", "default"}]

The exit code is 2 when a setting is invalid.`,
  run: async ({ args, env, stdout, stderr }) => {
    const { values } = parseOptions(args, { json: { type: "boolean" } });
    const extensions = await loadConfiguredExtensions(loadSettings(env), env);
    const differences = compare(describe(env, extensions), describe({}, extensions));
    for (const { found, meant } of findLikelyTypos(env, listExtensionVariables(extensions)))
      stderr.write(`${printable(found)} is no setting. It looks like ${meant}.\n`);
    stdout.write(values.json === true ? `${JSON.stringify(differences, null, 2)}\n` : render(differences));
    return 0;
  },
};

function describe(env: Environment, extensions: readonly LoadedExtension[]): readonly SettingInForce[] {
  const further = extensions.map(({ extension: { name, settings = [], standardVariables = [] } }) => {
    return { name, settings, standardVariables, values: readExtensionSettings(settings, env).settings };
  });
  return describeSettings(loadSettings(env), env, further);
}

function compare(now: readonly SettingInForce[], defaults: readonly SettingInForce[]): readonly Difference[] {
  const defaultOf = new Map(defaults.map(({ name, value }) => [name, value]));
  return now
    .filter(({ name, is_set, is_secret, value }) => is_set && (is_secret || value !== defaultOf.get(name)))
    .map(({ name, is_secret, value }) => ({
      name,
      value: is_secret ? "(secret)" : (value ?? ""),
      default: defaultOf.get(name) ?? null,
    }));
}

function render(differences: readonly Difference[]): string {
  if (differences.length === 0) return "All settings have their defaults.\n";
  const width = Math.max(...differences.map(({ name }) => name.length));
  const lines = differences.map(({ name, value, default: usual }) => {
    const shown = value === "" ? "(empty)" : value;
    return printable(`${name.padEnd(width)}  ${shown}${usual === null ? "" : `  (default: ${usual})`}`);
  });
  return `${lines.join("\n")}\n`;
}
