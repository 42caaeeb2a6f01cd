import { SettingsError } from "../config/index.ts";
import { type CommandContext, CrashReason, UsageError } from "./command.ts";
import { COMMANDS } from "./command-table.ts";
import { renderCommandHelp, renderHelp } from "./render-help.ts";

const EXIT_FAULT = 1;
const EXIT_USAGE = 2;
const HELP_FLAGS = new Set(["--help", "-h"]);
/** These are bugs, not faults of the machine, so their stack is printed. */
const MISTAKES = [TypeError, ReferenceError, RangeError, SyntaxError];

export async function runCommand(argv: readonly string[], context: Omit<CommandContext, "args">): Promise<number> {
  const [name, ...args] = argv;
  if (name === undefined || HELP_FLAGS.has(name)) return print(context.stdout, renderHelp(COMMANDS));
  if (name === "help") return runHelp(args[0], context);
  const wanted = name === "--version" || name === "-v" ? "version" : name;
  const command = COMMANDS.find((candidate) => candidate.name === wanted);
  if (command === undefined) return refuse(`Unknown command "${name}".`, context);
  if (args.some((arg) => HELP_FLAGS.has(arg))) return print(context.stdout, renderCommandHelp(command));

  try {
    const code = await command.run({ ...context, args });
    const reason: unknown = context.signal.reason;
    if (code !== 0 || !(reason instanceof CrashReason)) return code;
    context.stderr.write(`${describeFault(reason.cause)}\n`);
    return EXIT_FAULT;
  } catch (error) {
    if (error instanceof UsageError) {
      context.stderr.write(`${error.message}\n\n${renderCommandHelp(command)}`);
      return EXIT_USAGE;
    }
    context.stderr.write(`${describeFault(error)}\n`);
    return error instanceof SettingsError ? EXIT_USAGE : EXIT_FAULT;
  }
}

function runHelp(name: string | undefined, context: Omit<CommandContext, "args">): number {
  if (name === undefined) return print(context.stdout, renderHelp(COMMANDS));
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command === undefined) return refuse(`Unknown command "${name}".`, context);
  return print(context.stdout, renderCommandHelp(command));
}

function refuse(message: string, context: Omit<CommandContext, "args">): number {
  context.stderr.write(`${message}\n\n${renderHelp(COMMANDS)}`);
  return EXIT_USAGE;
}

function print(stream: NodeJS.WritableStream, text: string): number {
  stream.write(text);
  return 0;
}

function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isMistake = MISTAKES.some((mistake) => error instanceof mistake);
  return isMistake && error.stack !== undefined ? error.stack : error.message;
}
