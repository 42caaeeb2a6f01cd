import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { compareOutput } from "../../documents/compare-output.ts";
import { type ConsoleCommand, readSnippets } from "../../documents/read-snippets.ts";

const repository = join(import.meta.dirname, "../../..");
const START = "npm start";
const LAST_LINE = /^ {2}Stop +Ctrl-C$/m;
const TIMEOUT_MS = 120_000;

export interface FollowOptions {
  /** Commands that are not run. */
  readonly skipped?: readonly string[];
  /** Why the page cannot be followed on this machine. */
  readonly skip?: string | false;
  /** Programs of this machine, by the names that the page uses. */
  readonly programs?: Readonly<Record<string, string>>;
}

/**
 * Registers the tests of a page. Each block is saved or typed as it is printed, in order, on one instance; only the port is
 * changed. The service is started first unless the page does so.
 */
export async function followPage(
  path: string,
  { skipped = [], skip = false, programs = {} }: FollowOptions = {},
): Promise<void> {
  const page = await readFile(join(repository, path), "utf8");
  const reason = process.platform === "win32" ? "the commands are for a POSIX shell" : skip;
  describe(path, { skip: reason }, () => {
    let clone = "";
    let service: ChildProcess | undefined;
    let port = "";
    const exports: string[] = [];

    before(async () => {
      clone = await realpath(await mkdtemp(join(tmpdir(), "swarmbase-readme-")));
      await chmod(clone, 0o711);
      for (const name of await readdir(repository)) {
        if (![".git", ".swarmbase"].includes(name)) await symlink(join(repository, name), join(clone, name));
      }
      await mkdir(join(clone, ".programs"));
      for (const [name, program] of Object.entries(programs)) {
        // Without the folder of the script, which could hold the program's own name.
        const script = `#!/bin/sh\nPATH='${process.env["PATH"]}'\nexec '${program}' "$@"\n`;
        await writeFile(join(clone, ".programs", name), script, { mode: 0o755 });
      }
    });
    after(async () => {
      if (service?.pid !== undefined) {
        const closed = once(service, "close");
        // As Ctrl-C does: signals npm, its shell and the service.
        process.kill(-service.pid, "SIGINT");
        await closed;
      }
      await rm(clone, { recursive: true, force: true });
    });

    const environment = () => ({
      PATH: `${join(clone, ".programs")}:${process.env["PATH"]}`,
      HOME: process.env["HOME"],
      PORT: "0",
    });

    async function start(): Promise<string> {
      const child = spawn("sh", ["-c", START], { cwd: clone, env: environment(), detached: true });
      service = child;
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
      const isUp = new Promise<void>((resolve, reject) => {
        child.stdout.on("data", () => LAST_LINE.test(output) && resolve());
        child.on("exit", () => reject(new Error(`${START} ended:\n${output}`)));
      });
      const deadline = AbortSignal.timeout(TIMEOUT_MS);
      await Promise.race([isUp, once(deadline, "abort").then(() => Promise.reject(new Error(`too late:\n${output}`)))]);
      port = /https:\/\/localhost:(\d+)/.exec(output)?.[1] ?? "";
      const end = LAST_LINE.exec(output);
      return output.slice(0, (end?.index ?? 0) + (end?.[0].length ?? 0));
    }

    /** Returns the standard output; the error output is shown on failure. */
    function run(text: string): Promise<string> {
      const script = [...exports, text].join("\n").replaceAll("localhost:8443", `localhost:${port}`);
      return new Promise((resolve, reject) => {
        execFile(
          "sh",
          ["-c", script],
          { cwd: clone, env: environment(), timeout: TIMEOUT_MS },
          (error, stdout, stderr) =>
            error === null ? resolve(stdout) : reject(new Error(`${text}\n${stdout}${stderr}`, { cause: error })),
        );
      });
    }

    async function runAndCompare({ text, output }: ConsoleCommand): Promise<void> {
      if (text.startsWith("export ")) exports.push(text);
      const said = text === START ? await start() : await run(text);
      assert.equal(compareOutput(output, said), null);
    }

    async function save(name: string, text: string): Promise<void> {
      await mkdir(dirname(join(clone, name)), { recursive: true });
      await writeFile(join(clone, name), text);
    }

    const snippets = readSnippets(page);
    const isStarted = snippets.some(
      (each) => each.kind === "console" && each.commands.some(({ text }) => text === START),
    );
    if (!isStarted) it(START, async () => void (await start()));
    for (const snippet of snippets) {
      if (snippet.kind === "file") {
        it(`line ${snippet.line}: ${snippet.name}`, () => save(snippet.name, snippet.text));
        continue;
      }
      for (const command of snippet.commands) {
        if (skipped.includes(command.text)) continue;
        it(`line ${snippet.line}: ${command.text}`, async (t) => {
          const [program = ""] = command.text.split(" ");
          // The pages work without curl, except for this command.
          if (program === "curl" && !(await run("command -v curl || true"))) return t.skip("there is no curl here");
          await runAndCompare(command);
        });
      }
    }
  });
}
