import type { Command } from "./command.ts";

type DescribedCommand = Pick<Command, "name" | "summary" | "help">;

/** Renders docs/reference/cli.md from the help of all commands: those of the core, then those of the extensions. */
export function renderCliReference(
  core: readonly DescribedCommand[],
  extensions: readonly { readonly name: string; readonly commands?: readonly DescribedCommand[] }[] = [],
): string {
  const added = extensions.flatMap(({ name, commands = [] }) => commands.map((command) => ({ ...command, of: name })));
  const commands: readonly (DescribedCommand & { readonly of?: string })[] = [...core, ...added];
  return [
    "<!-- Generated from server/src/commands by `npm run docs:reference`. Do not edit by hand. -->",
    "",
    "# Command line",
    "",
    "`npx swarmbase <command> [options]` where the package `swarmbase` is installed, `npm run swarmbase -- <command> [options]` in a clone of",
    "the repository. Below, `swarmbase` stands for either. Every command prints its",
    "part of this page: `swarmbase help <command>`. Settings are environment variables, listed in",
    "[Configuration](configuration.md); commands that read an installation need the same ones as the service.",
    "",
    "| command | what it does |",
    "|---|---|",
    ...commands.map(({ name, summary }) => `| [\`${name}\`](#${name}) | ${summary} |`),
    "",
    "Exit codes: 0 success, 1 the command failed or `doctor` found a fault, 2 the command line or the settings are invalid.",
    ...commands.flatMap(({ name, summary, help, of }) => [
      "",
      `## ${name}`,
      "",
      `${sentence(summary)}${of === undefined ? "" : ` Part of the extension \`${of}\`.`}`,
      "",
      "```text",
      help.trim(),
      "```",
    ]),
    "",
  ].join("\n");
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}
