import { tmpdir } from "node:os";
import { Readable, Writable } from "node:stream";
import packageJson from "../../package.json" with { type: "json" };
import { runCommand } from "../../src/commands/index.ts";
import { systemClock } from "../../src/time/index.ts";
import { WITHOUT_DETECTION } from "./without-detection.ts";
import { WITHOUT_LIMITS } from "./without-limits.ts";

/** A stream with `isTTY` stands for a terminal. */
type CommandInput = Readable & { readonly isTTY?: boolean };

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandHere {
  /** What it has printed so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves with what would be the exit code of the program. */
  readonly ended: Promise<number>;
  /** As SIGTERM or SIGINT does. */
  stop(): Promise<number>;
}

/** A command in the process of the test, with the environment of `runProgram`: a program of its own takes a second to load. */
export async function runHere(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input: string | AsyncIterable<string> | CommandInput = "",
  onOutput: (text: string) => void = () => {},
): Promise<CommandResult> {
  const command = startHere(args, env, input, onOutput);
  const code = await command.ended;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}

/** The same, for a command that runs until it is stopped. */
export function startHere(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input: string | AsyncIterable<string> | CommandInput = "",
  onOutput: (text: string) => void = () => {},
): CommandHere {
  const [stdout, stderr] = [collect(onOutput), collect(onOutput)];
  const ending = new AbortController();
  const ended = runCommand(args, {
    env: { LOG_FORMAT: "json", HOME: tmpdir(), PORT: "0", ...WITHOUT_DETECTION, ...WITHOUT_LIMITS, ...env },
    stdin: openInput(input),
    stdout: stdout.stream,
    stderr: stderr.stream,
    version: packageJson.version,
    clock: systemClock,
    signal: ending.signal,
  });
  const stop = async (): Promise<number> => {
    ending.abort();
    return ended;
  };
  return { stdout: stdout.text, stderr: stderr.text, ended, stop };
}

function collect(onOutput: (text: string) => void): { readonly stream: Writable; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      onOutput(chunk.toString());
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

function openInput(input: string | AsyncIterable<string> | CommandInput): CommandInput {
  if (typeof input === "string") return Readable.from(input === "" ? [] : [input]);
  return "pipe" in input ? input : Readable.from(input);
}
