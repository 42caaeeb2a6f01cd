import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { WITHOUT_DETECTION } from "../../../server/test/support/without-detection.ts";
import { openPageSession, type PageSession, START } from "../../documents/page-session.ts";
import { readSnippets } from "../../documents/read-snippets.ts";

const repository = join(import.meta.dirname, "../../..");

export interface FollowOptions {
  /** Commands that are not run. */
  readonly skipped?: readonly string[];
  /** Why the page cannot be followed on this machine. */
  readonly skip?: string | false;
  /** Programs of this machine, by the names that the page uses. */
  readonly programs?: Readonly<Record<string, string>>;
}

/** Registers the tests of a page, in the order of its blocks. The service is started first unless the page does so. */
export async function followPage(
  path: string,
  { skipped = [], skip = false, programs = {} }: FollowOptions = {},
): Promise<void> {
  const page = await readFile(join(repository, path), "utf8");
  const reason = process.platform === "win32" ? "the commands are for a POSIX shell" : skip;
  describe(path, { skip: reason }, () => {
    let clone = "";
    let session: PageSession;

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
      const PATH = `${join(clone, ".programs")}:${process.env["PATH"]}`;
      const environment = { ...WITHOUT_DETECTION, PATH, HOME: process.env["HOME"], PORT: "0" };
      session = openPageSession({ folder: clone, environment });
    });
    after(async () => {
      await session.close();
      await rm(clone, { recursive: true, force: true });
    });

    const snippets = readSnippets(page);
    const isStarted = snippets.some(
      (each) => each.kind === "console" && each.commands.some(({ text }) => text === START),
    );
    if (!isStarted) it(START, async () => void (await session.start()));
    for (const snippet of snippets) {
      if (snippet.kind === "file") {
        it(`line ${snippet.line}: ${snippet.name}`, () => session.save(snippet.name, snippet.text));
        continue;
      }
      for (const command of snippet.commands) {
        if (skipped.includes(command.text)) continue;
        it(`line ${snippet.line}: ${command.text}`, async (t) => {
          const [program = ""] = command.text.split(" ");
          // The pages work without curl, except for this command.
          if (program === "curl" && !(await session.run("command -v curl || true")))
            return t.skip("there is no curl here");
          await session.follow(command);
        });
      }
    }
  });
}
