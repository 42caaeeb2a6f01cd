import { COMMANDS } from "./command-table.ts";

/** Renders docs/reference/cli.md from the help of all commands. */
export function renderCliReference(): string {
  return [
    "<!-- Generated from server/src/commands by `npm run docs:reference`. Do not edit by hand. -->",
    "",
    "# Command line",
    "",
    "`npm run swarmbase -- <command> [options]`. Below, `swarmbase` stands for `npm run swarmbase --`. Every command prints its",
    "part of this page: `swarmbase help <command>`. Settings are environment variables, listed in",
    "[Configuration](configuration.md); commands that read an installation need the same ones as the service.",
    "",
    "| command | what it does |",
    "|---|---|",
    ...COMMANDS.map(({ name, summary }) => `| [\`${name}\`](#${name}) | ${summary} |`),
    "",
    "Exit codes: 0 success, 1 the command failed or `doctor` found a fault, 2 the command line or the settings are invalid.",
    ...COMMANDS.flatMap(({ name, summary, help }) => [
      "",
      `## ${name}`,
      "",
      `${sentence(summary)}`,
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
