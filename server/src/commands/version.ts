import type { Command } from "./command.ts";

export const versionCommand: Command = {
  name: "version",
  summary: "print the version",
  help: "Prints the versions of Swarmbase and of Node.js.",
  run: async ({ stdout, version }) => {
    stdout.write(`swarmbase ${version} (node ${process.versions.node})\n`);
    return 0;
  },
};
