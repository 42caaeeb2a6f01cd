/** A clone runs the sources, and starts its commands with scripts of npm. */
export const IS_CLONE = import.meta.url.endsWith(".ts");

/** A command of the service, as a person types it where this installation was started. */
export function typedCommand(words: string): string {
  if (!IS_CLONE) return `npx swarmbase ${words}`;
  // npm keeps options for itself unless they stand after `--`.
  return words.includes(" -") ? `npm run swarmbase -- ${words}` : `npm run swarmbase ${words}`;
}
