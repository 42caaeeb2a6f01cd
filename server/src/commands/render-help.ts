import type { Command } from "./command.ts";

const NAME_WIDTH = 13;

export function renderHelp(commands: readonly Command[]): string {
  const rows = [...commands, { name: "help", summary: "explain a command: help <command>" }];
  return [
    "Swarmbase: a backend for swarms of AI agents, in one program.",
    "",
    "Usage: npm run swarmbase -- <command> [options]",
    "",
    "Commands:",
    ...rows.map(({ name, summary }) => `  ${name.padEnd(NAME_WIDTH)}${summary}`),
    "",
    "Settings are environment variables, listed in docs/reference/configuration.md.",
    "",
  ].join("\n");
}

export function renderCommandHelp(command: Command): string {
  return `swarmbase ${command.name}: ${command.summary}\n\n${command.help.trim()}\n`;
}
