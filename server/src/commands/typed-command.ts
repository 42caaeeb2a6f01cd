/** A clone runs the sources, and starts its commands with scripts of npm. */
export const IS_CLONE = import.meta.url.endsWith(".ts");

/** A command of the service, as a person types it where this installation was started. */
export function typedCommand(words: string): string {
  if (!IS_CLONE) return `npx swarmbase ${words}`;
  // npm keeps options for itself unless they stand after `--`.
  return words.includes(" -") ? `npm run swarmbase -- ${words}` : `npm run swarmbase ${words}`;
}

/** Those of the core and of the extensions of this repository. */
const NAMES =
  "apply|backup|certificate|config|db|demo|docs|doctor|eval|gen|keys|listen|mcp|migrate|plan|provider|psql|pull|remove-data|restore|resume|serve|sql|upgrade";
const NAMED = new RegExp(
  String.raw`(?<![\w./@-]|npx |run |-- )swarmbase ((?:${NAMES})\b(?: [a-z]+)*(?: --[a-z]+)?)`,
  "g",
);

/** A message of the service, which names commands as `swarmbase <command>`, with what a person types. */
export function nameTypedCommands(message: string): string {
  return message.replaceAll(NAMED, (_, words: string) => typedCommand(words));
}
