import { tmpdir } from "node:os";
import { Writable } from "node:stream";
import { runCommand } from "../../src/commands/index.ts";
import { systemClock } from "../../src/time/index.ts";
import { WITHOUT_LIMITS } from "../support/without-limits.ts";

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command in the process of the test, with the environment of `runProgram`: a program of its own takes a second to load. */
export async function runHere(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const [stdout, stderr] = [collect(), collect()];
  const code = await runCommand(args, {
    env: { LOG_FORMAT: "json", HOME: tmpdir(), PORT: "0", ...WITHOUT_LIMITS, ...env },
    stdout: stdout.stream,
    stderr: stderr.stream,
    version: "0.0.0",
    clock: systemClock,
    signal: new AbortController().signal,
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function collect(): { readonly stream: Writable; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}
