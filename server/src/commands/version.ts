import type { Command } from "./command.ts";

export const versionCommand: Command = {
  name: "version",
  summary: "print the version",
  help: "Prints the version of Swarmbase and of the Node.js it runs on.",
  run: async ({ stdout, version }) => {
    stdout.write(`swarmbase ${version} (node ${process.versions.node})\n`);
    return 0;
  },
};
