import { docsPage, type Environment, SettingsError, UsageError } from "../config/index.ts";
import { type Command, type CommandContext, CrashReason } from "./command.ts";
import { loadCommand, loadCommands, takesModes } from "./command-table.ts";
import type { OpenedCommand } from "./load-extension-commands.ts";
import { nameTypedCommands } from "./typed-command.ts";

const EXIT_FAULT = 1;
const EXIT_USAGE = 2;
const DEFAULT_COMMAND = "serve";
const COLUMN_GAP = 2;
const HELP_FLAGS = new Set(["--help", "-h"]);
/** Commands of extensions exist only where the environment names their extension, and the environment of a shell is rarely that of the service. */
const EXTENSION_ADVICE =
  "If an extension has it, set EXTENSIONS to the same value as for the service: it names the extensions whose commands are known.";
/** These are bugs, not faults of the machine, so their stack is printed. */
const MISTAKES = [TypeError, ReferenceError, RangeError, SyntaxError];

export async function runCommand(argv: readonly string[], context: Omit<CommandContext, "args">): Promise<number> {
  const isHelpCommand = argv[0] === "help";
  const [name = isHelpCommand ? "--help" : DEFAULT_COMMAND, ...args] = isHelpCommand ? argv.slice(1) : argv;
  if (HELP_FLAGS.has(name)) return print(context.stdout, renderHelp(await listCommands(context.env)));
  const commandName = name === "--version" || name === "-v" ? "version" : name;
  const named = await findCommand(commandName, context.env);
  const command = named !== null && takesModes(named.name) ? await chooseMode(named, args, context.env) : named;
  if (command === null) {
    const help = renderHelp(await listCommands(context.env));
    context.stderr.write(`Unknown command "${name}". ${EXTENSION_ADVICE}\n\n${help}`);
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
  return isMistake && error.stack !== undefined ? error.stack : nameTypedCommands(error.message);
}

interface CommandList {
  readonly commands: readonly Command[];
  /** Why the commands of extensions are missing. */
  readonly fault: string | null;
}

/** Loads no other command, because that takes longer than most commands run. */
async function findCommand(name: string, env: Environment): Promise<Command | null> {
  const core = await loadCommand(name);
  if (core !== null) return core;
  const { added } = await listAddedCommands(env);
  return added.find((command) => command.name === name) ?? null;
}

async function listCommands(env: Environment): Promise<CommandList> {
  const [core, { added, fault }] = await Promise.all([loadCommands(), listAddedCommands(env)]);
  return { commands: [...core, ...added], fault };
}

/** Settings that are wrong must not take the help away, which is what a person reads to correct them. */
async function listAddedCommands(
  env: Environment,
): Promise<{ readonly added: readonly Command[]; readonly fault: string | null }> {
  try {
    const { loadExtensionCommands } = await import("./load-extension-commands.ts");
    return { added: (await loadExtensionCommands(env)).filter(({ modeOptions }) => modeOptions === null), fault: null };
  } catch (error) {
    return { added: [], fault: describeFault(error) };
  }
}

/** The mode that the arguments ask for, or the command of the core with the help of its modes. */
async function chooseMode(core: Command, args: readonly string[], env: Environment): Promise<Command> {
  const { modes, fault } = await listModes(core, env);
  const names = args.map((arg) => arg.split("=", 1)[0]);
  const mode = modes.find(({ modeOptions }) => modeOptions?.some((option) => names.includes(`--${option}`)));
  if (mode !== undefined) return mode;
  const helps = [core, ...modes].map(({ help }) => help.trim());
  return {
    ...core,
    help: [...helps, ...(fault === null ? [] : [`Its further modes are missing: ${fault}`])].join("\n\n"),
  };
}

async function listModes(
  { name }: Command,
  env: Environment,
): Promise<{ readonly modes: readonly OpenedCommand[]; readonly fault: string | null }> {
  try {
    const { loadExtensionCommands } = await import("./load-extension-commands.ts");
    const modes = (await loadExtensionCommands(env)).filter((command) => command.name === name);
    return { modes, fault: null };
  } catch (error) {
    return { modes: [], fault: describeFault(error) };
  }
}

function renderHelp({ commands, fault }: CommandList): string {
  const rows = [...commands, { name: "help", summary: "explain a command: help <command>" }];
  const width = Math.max(...rows.map(({ name }) => name.length)) + COLUMN_GAP;
  return [
    "Swarmbase: a backend for swarms of AI agents, in one program.",
    "",
    `Usage: npx swarmbase [<command>] [options]; without a command: ${DEFAULT_COMMAND}`,
    "In a clone of the repository: npm run swarmbase -- <command> [options]",
    "",
    "Commands:",
    ...rows.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`),
    "",
    ...(fault === null ? [] : [`The commands of extensions are missing: ${fault}`, ""]),
    `Settings are environment variables; see ${docsPage("reference/configuration")}.`,
    "",
  ].join("\n");
}

function renderCommandHelp({ name, summary, help }: Command): string {
  return `swarmbase ${name}: ${summary}\n\n${help.trim()}\n`;
}
