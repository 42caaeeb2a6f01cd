// In charge of: the commands of the program, their help, their output and their exit codes.
// Not in charge of: how the service works (the modules, which wiring connects), or the process itself (main.ts).

import type { CommandContext } from "./command.ts";

export { type Command, CrashReason } from "./command.ts";
export { loadCommands } from "./command-table.ts";
export { runCommand } from "./run-command.ts";

/** Loaded when it is needed: other commands need few of its modules. */
export async function runWorkerProcess(context: CommandContext): Promise<number> {
  const { runWorkerProcess: run } = await import("./run-worker-process.ts");
  return run(context);
}
