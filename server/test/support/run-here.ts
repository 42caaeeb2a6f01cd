import { tmpdir } from "node:os";
import { Readable, Writable } from "node:stream";
import { runCommand } from "../../src/commands/index.ts";
import { systemClock } from "../../src/time/index.ts";
import { WITHOUT_LIMITS } from "./without-limits.ts";

/** A stream with `isTTY` stands for a terminal. */
type CommandInput = Readable & { readonly isTTY?: boolean };

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command in the process of the test, with the environment of `runProgram`: a program of its own takes a second to load. */
export async function runHere(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input: string | AsyncIterable<string> | CommandInput = "",
  onOutput: (text: string) => void = () => {},
): Promise<CommandResult> {
  const [stdout, stderr] = [collect(onOutput), collect(onOutput)];
  const code = await runCommand(args, {
    env: { LOG_FORMAT: "json", HOME: tmpdir(), PORT: "0", ...WITHOUT_LIMITS, ...env },
    stdin: openInput(input),
    stdout: stdout.stream,
    stderr: stderr.stream,
    version: "0.0.0",
    clock: systemClock,
    signal: new AbortController().signal,
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
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
