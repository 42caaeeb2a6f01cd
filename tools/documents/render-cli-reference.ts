import type { Command } from "../../server/src/commands/index.ts";

type DescribedCommand = Pick<Command, "name" | "summary" | "help"> & {
  /** Of a mode of a command of the core. */
  readonly modeOptions?: readonly string[];
};

/** Renders docs/reference/cli.md from the help of all commands: those of the core, then those of the extensions. */
export function renderCliReference(
  core: readonly DescribedCommand[],
  extensions: readonly { readonly name: string; readonly commands?: readonly DescribedCommand[] }[] = [],
): string {
  const added = extensions.flatMap(({ name, commands = [] }) => commands.map((command) => ({ ...command, of: name })));
  const commands: readonly (DescribedCommand & { readonly of?: string })[] = [...core, ...added];
  return [
    "<!-- Generated from server/src/commands by `npm run generate -- reference`. Do not edit by hand. -->",
    "",
    "# Command line",
    "",
    "This page is for operators, and for developers at a terminal. It lists every command with its options.",
    "",
    "`npx swarmbase <command> [options]` where the package `swarmbase` is installed, `npm run swarmbase -- <command> [options]` in a clone of",
    "the repository. Below, `swarmbase` stands for either. Every command prints its",
    "part of this page: `swarmbase help <command>`. Settings are environment variables, listed in",
    "[Configuration](configuration.md); commands that read an installation need the same ones as the service.",
    "",
    "| command | what it does |",
    "|---|---|",
    ...commands.map((command) => {
      const title = titleOf(command);
      return `| [\`${title}\`](#${title.replaceAll(" ", "-")}) | ${command.summary} |`;
    }),
    "",
    "Exit codes: 0 success, 1 the command failed or `doctor` found a fault, 2 the command line or the settings are invalid.",
    ...commands.flatMap((command) => [
      "",
      `## ${titleOf(command)}`,
      "",
      `${sentence(command.summary)}${command.of === undefined ? "" : ` Part of the extension \`${command.of}\`.`}`,
      "",
      "```text",
      command.help.trim(),
      "```",
    ]),
    "",
  ].join("\n");
}

function titleOf({ name, modeOptions: [option] = [] }: DescribedCommand): string {
  return option === undefined ? name : `${name} --${option}`;
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}
