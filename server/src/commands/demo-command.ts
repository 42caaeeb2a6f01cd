import { parseOptions } from "../config/index.ts";
import type { Command } from "./command.ts";

export const demoCommand: Command = {
  name: "demo",
  summary: "walk through the main features on a temporary instance",
  help: `
Usage: swarmbase demo

Starts an instance with a database of its own in the temporary folder, publishes an agent with tools and a webhook, and
lets two customers ask it. It kills the service in between, and shows what others get to see of a private conversation. It
takes about half a minute, needs no provider key, and removes the instance at the end.`,
  run: async ({ args, stdout, signal }) => {
    parseOptions(args, {});
    // Loads the client, which no other command needs.
    const { runDemo } = await import("../../demo/run-demo.ts");
    return runDemo({ stdout, signal });
  },
};
