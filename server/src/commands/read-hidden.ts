import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import type { CommandContext } from "./command.ts";

/** Asks for a line at a terminal, without showing what is typed; else reads the whole input. */
export async function readHidden({ stdin, stderr, signal }: CommandContext, question: string): Promise<string> {
  if (stdin.isTTY === true) stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: stdin.isTTY === true });
  const close = (): void => lines.close();
  signal.addEventListener("abort", close, { once: true });
  lines.on("SIGINT", close);
  try {
    const read: string[] = [];
    for await (const line of lines) {
      read.push(line);
      if (stdin.isTTY === true) break;
    }
    return read.join("\n");
  } finally {
    close();
    signal.removeEventListener("abort", close);
    if (stdin.isTTY === true) stderr.write("\n");
  }
}
