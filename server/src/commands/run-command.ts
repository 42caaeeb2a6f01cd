import { SettingsError } from "../config/index.ts";
import { type Command, type CommandContext, CrashReason, UsageError } from "./command.ts";
import { COMMANDS } from "./command-table.ts";

const EXIT_FAULT = 1;
const EXIT_USAGE = 2;
const NAME_WIDTH = 13;
const HELP_FLAGS = new Set(["--help", "-h"]);
/** These are bugs, not faults of the machine, so their stack is printed. */
const MISTAKES = [TypeError, ReferenceError, RangeError, SyntaxError];

export async function runCommand(argv: readonly string[], context: Omit<CommandContext, "args">): Promise<number> {
  const isHelpCommand = argv[0] === "help";
  const [name = "--help", ...args] = isHelpCommand ? argv.slice(1) : argv;
  if (HELP_FLAGS.has(name)) return print(context.stdout, renderHelp());
  const commandName = name === "--version" || name === "-v" ? "version" : name;
  const command = COMMANDS.find((candidate) => candidate.name === commandName);
  if (command === undefined) {
    context.stderr.write(`Unknown command "${name}".\n\n${renderHelp()}`);
    return EXIT_USAGE;
  }
  if (isHelpCommand || args.some((arg) => HELP_FLAGS.has(arg)))
    return print(context.stdout, renderCommandHelp(command));

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

function print(stream: NodeJS.WritableStream, text: string): number {
  stream.write(text);
  return 0;
}

function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isMistake = MISTAKES.some((mistake) => error instanceof mistake);
  return isMistake && error.stack !== undefined ? error.stack : error.message;
}

function renderHelp(): string {
  const rows = [...COMMANDS, { name: "help", summary: "explain a command: help <command>" }];
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

function renderCommandHelp({ name, summary, help }: Command): string {
  return `swarmbase ${name}: ${summary}\n\n${help.trim()}\n`;
}
