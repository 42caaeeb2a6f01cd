import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { compareOutput } from "../documents/compare-output.ts";
import { readSnippets } from "../documents/read-snippets.ts";

const repository = join(import.meta.dirname, "../..");
const COMMAND = "npm run demo";

describe(COMMAND, { skip: process.platform === "win32" && "the commands are for a POSIX shell" }, () => {
  /** The folder in which the demo creates everything. */
  let folder = "";

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "swarmbase-demo-test-"));
    await chmod(folder, 0o711);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** The output and the exit code; `interruptAt` is a text at which Ctrl-C is pressed. */
  async function run(program: string, args: readonly string[], interruptAt?: string): Promise<[string, number | null]> {
    const child = spawn(program, args, {
      cwd: repository,
      env: {
        PATH: process.env["PATH"],
        HOME: process.env["HOME"],
        TMPDIR: folder,
        // npm also caches compiled code, by default in the folder for temporary files.
        NODE_COMPILE_CACHE: join(repository, "node_modules/.cache/swarmbase"),
      },
      detached: true,
    });
    let output = "";
    let complaints = "";
    let isInterrupted = false;
    child.stderr.on("data", (chunk: Buffer) => (complaints += chunk.toString()));
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (isInterrupted || interruptAt === undefined || !output.includes(interruptAt)) return;
      isInterrupted = true;
      // A terminal signals the whole process group.
      if (child.pid !== undefined) process.kill(-child.pid, "SIGINT");
    });
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== 0) output += complaints;
    return [output, code];
  }

  async function assertNothingIsLeft(output: string): Promise<void> {
    assert.deepEqual(await readdir(folder), []);
    for (const [, port] of output.matchAll(/https:\/\/localhost:(\d+)/g)) {
      const socket = net.connect(Number(port), "127.0.0.1");
      const code = await new Promise<unknown>((resolve) => {
        socket.once("connect", () => resolve("somebody answers"));
        socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
      });
      socket.destroy();
      assert.equal(code, "ECONNREFUSED");
    }
  }

  it("prints what the guide shows, in a pipe, and leaves no files behind", async () => {
    const [output, code] = await run("npm", ["run", "demo"]);
    assert.equal(code, 0, output);
    const page = await readFile(join(repository, "docs/guides/getting-started.md"), "utf8");
    const commands = readSnippets(page).flatMap((snippet) => (snippet.kind === "console" ? snippet.commands : []));
    const shown = commands.find(({ text }) => text === COMMAND);
    assert.ok(shown !== undefined, "the guide does not show it");
    assert.equal(compareOutput(shown.output, output), null);
    assert.ok(!output.includes("\u001b"), "a pipe gets no colours");
    await assertNothingIsLeft(output);
  });

  it("cleans up when it is interrupted", async () => {
    const [output, code] = await run(
      process.execPath,
      ["-C", "swarmbase-source", "server/bin/swarmbase.js", "demo"],
      "sign up",
    );
    assert.equal(code, 0, output);
    assert.match(output, /Stopped/);
    await assertNothingIsLeft(output);
  });
});
