import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import {
  interrupt,
  NODE_PACKAGES,
  OLD_NODE,
  type PackedRelease,
  packRelease,
  readOutput,
  WAIT_MS,
  whyNoNode,
} from "../package/packed-release.ts";
import { checkInstalledTypes } from "../package/try-release.ts";

// Installs the packed packages from a registry on this machine, as strangers do, with an old Node.js and with the pinned one.
// Everything else comes from the registry that npm is configured with.

const root = resolve(`${import.meta.dirname}/../..`);
const MAX_INSTALL_BYTES = 250_000_000;

describe("the packed packages", { skip: whyNoNode }, () => {
  let release: PackedRelease;
  let oldNode = "";
  before(async () => {
    release = await packRelease(root, "swarmbase-packed-");
    oldNode = await release.installNode(OLD_NODE);
  });
  after(() => release?.close());
  const run: PackedRelease["run"] = (...args) => release.run(...args);

  it("have a licence and a page, and neither tests nor TypeScript of ours", () => {
    for (const { name, files } of release.packages) {
      for (const wanted of ["LICENSE", "README.md", "package.json"])
        assert.ok(files.includes(wanted), `${name}: ${wanted}`);
      const own = files.filter((path) => !path.startsWith("node_modules/"));
      assert.deepEqual(
        own.filter((path) => /^(?!template\/).*(?:(?:^|\/)test\/|\.test\.|(?<!\.d)\.tsx?$)/.test(path)),
        [],
        name,
      );
    }
  });

  for (const kind of ["old", "pinned"] as const) {
    const title = kind === "old" ? `Node.js ${OLD_NODE}` : "the pinned Node.js";
    it(`are installed, started and used on ${title}`, async (t) => {
      const project = await release.makeProject(kind);
      const nodeFolder = kind === "old" ? oldNode : dirname(process.execPath);
      const npx = (...args: string[]) => run(project, nodeFolder, "npx", "swarmbase", ...args);
      const installation = await run(
        project,
        nodeFolder,
        "npm",
        "install",
        ...release.packages.map(({ name }) => name).filter((name) => name !== "@swarmbase/node"),
      );
      assert.doesNotMatch(installation, /EBADENGINE|deprecated/);
      const again = await run(project, nodeFolder, "npm", "install", "ws");
      assert.doesNotMatch(
        again,
        /EBADENGINE|deprecated/,
        "a later install reads the manifests of bundled packages, too",
      );
      const installed = await readdir(join(project, "node_modules"));
      const hasPinned = installed.some((name) => Object.values(NODE_PACKAGES).includes(name));
      assert.equal(hasPinned, kind === "old", "the pinned Node.js is installed only where it is needed");
      if (!hasPinned) assert.ok((await sizeOf(join(project, "node_modules"))) < MAX_INSTALL_BYTES);
      assert.match(await npx("version"), new RegExp(`node ${process.versions.node}`));

      const service = spawn("npx", ["swarmbase"], {
        cwd: project,
        env: release.environment(nodeFolder),
        detached: true,
      });
      t.after(() => interrupt(service));
      await readOutput(service)(/Stop +Ctrl-C/);
      const credentials = JSON.parse(await readFile(join(project, ".swarmbase/credentials.json"), "utf8")) as {
        readonly url: string;
        readonly anon_key: string;
      };
      const fetchText = (path: string, ...options: string[]) =>
        run(
          project,
          nodeFolder,
          "curl",
          "--silent",
          "--show-error",
          "--cacert",
          ".swarmbase/tls/ca-cert.pem",
          ...options,
          `${credentials.url}${path}`,
        );
      assert.match(await fetchText("/health"), /"status":"ok"/);
      assert.match(await fetchText("/", "--header", "accept: text/html"), /<div id="root">/);
      assert.match(await fetchText("/reference"), /<html/);
      const body = JSON.stringify({ email: "ada@example.com", password: "correct horse" });
      const headers = ["--header", `apikey: ${credentials.anon_key}`, "--header", "content-type: application/json"];
      assert.match(await fetchText("/auth/v1/signup", ...headers, "--data", body), /"access_token"/);

      const listener = spawn("npx", ["swarmbase", "listen"], {
        cwd: project,
        env: release.environment(nodeFolder),
        detached: true,
      });
      t.after(() => interrupt(listener));
      await readOutput(listener)(/ada@example\.com|[Ll]istening|webhook/);
      await interrupt(listener);
      assert.match(await npx("doctor"), /0 faults/);
      assert.match(await npx("backup", "--to", "backups/"), /swarmbase-.*\.tar\.gz/);
      // As a supervisor stops it: the signal reaches only npx, and a shell that does not pass it on.
      service.kill("SIGTERM");
      for (const deadline = Date.now() + WAIT_MS; ; await wait(100)) {
        if (
          await fetchText("/health").then(
            () => false,
            () => true,
          )
        )
          break;
        assert.ok(Date.now() < deadline, "the service goes on without npx");
      }
      if (kind === "old") assert.match(await npx("demo"), /The demo took/);
    });
  }

  it("run the examples of the guide on testing, with node:test and with Vitest", async () => {
    const project = join(release.folder, "pinned");
    const page = await readFile(join(root, "docs/guides/testing.md"), "utf8");
    const blocks = [...page.matchAll(/^```javascript\n(\/\/ (\S+)\n[\s\S]*?)^```$/gm)];
    assert.equal(blocks.length, 2);
    for (const [, text = "", name = ""] of blocks) await writeFile(join(project, name), text);
    const nodeFolder = dirname(process.execPath);
    await run(project, nodeFolder, "npm", "install", "@supabase/supabase-js", "vitest");
    assert.match(await run(project, nodeFolder, "node", "--test"), /pass 1/);
    assert.match(await run(project, nodeFolder, "npx", "vitest", "run", "rooms.spec.js"), /1 passed/);
  });

  it("have types", async () => {
    const project = join(release.folder, "pinned");
    assert.ok(existsSync(project));
    await checkInstalledTypes(project, root);
  });
});

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
