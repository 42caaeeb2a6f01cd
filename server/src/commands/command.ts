import type { Environment } from "../config/index.ts";
import type { Clock } from "../time/index.ts";

export interface CommandContext {
  /** The arguments after the name of the command. */
  readonly args: readonly string[];
  readonly env: Environment;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly version: string;
  readonly clock: Clock;
  /** Aborts when the program has to end; the reason is a CrashReason after an internal error. */
  readonly signal: AbortSignal;
  /** Calls the listener for SIGHUP, which otherwise ends the program. */
  onHangUp?(listener: () => void): void;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Printed for `help <name>` and `<name> --help`, below the line with the name. */
  readonly help: string;
  /** Resolves with the exit code. */
  run(context: CommandContext): Promise<number>;
}

/** The reason of an abort that neither a person nor a supervisor requested. */
export class CrashReason extends Error {
  override readonly name = "CrashReason";
}
