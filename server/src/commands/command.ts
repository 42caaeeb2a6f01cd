import type { Environment } from "../config/index.ts";
import type { Clock } from "../time/index.ts";

export interface CommandContext {
  /** What follows the name of the command. */
  readonly args: readonly string[];
  readonly env: Environment;
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly version: string;
  readonly clock: Clock;
  /** Aborted when the program is asked to end; its reason is a CrashReason when a fault asks. */
  readonly signal: AbortSignal;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Printed for `help <name>` and `<name> --help`, below the line with the name. */
  readonly help: string;
  /** Answers with the exit code. */
  run(context: CommandContext): Promise<number>;
}

/** The command line makes no sense. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Why `signal` was aborted, when it was not a person or a supervisor that asked. */
export class CrashReason extends Error {
  override readonly name = "CrashReason";
}
