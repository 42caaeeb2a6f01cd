import assert from "node:assert/strict";
import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { setDefaultCACertificates } from "node:tls";
import { pathToFileURL } from "node:url";
import { createTemporaryFolder } from "../../server/test/support/temporary-folder.ts";
import type { runInstance as runFromSource } from "../../server/testing/run-instance.ts";
import { type BuiltPackage, buildPackages } from "../package/build.ts";
import type { Manifest } from "../package/manifest.ts";

const root = resolve(`${import.meta.dirname}/../..`);

/** Links everything that is installed in the repository, except its own packages, which are there already. */
async function linkDependencies(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.name.startsWith(".")) continue;
    if (entry.name.startsWith("@")) {
      await mkdir(join(to, entry.name), { recursive: true });
      await linkDependencies(join(from, entry.name), join(to, entry.name));
    } else await symlink(join(from, entry.name), join(to, entry.name)).catch(ignoreExisting);
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}

describe("the built packages", () => {
  let packages: readonly BuiltPackage[] = [];
  let dataDir = "";
  const closers: (() => Promise<void>)[] = [];
  const find = (name: string) => packages.find((one) => one.name === name)?.folder ?? "";

  before(async () => {
    const project = await createTemporaryFolder({ after: (close) => closers.push(close) }, "swarmbase-packages-");
    dataDir = join(project, "data");
    const modules = join(project, "node_modules");
    packages = await buildPackages({ root, to: modules, isQuick: true });
    await linkDependencies(join(root, "server/node_modules"), modules);
    await linkDependencies(join(root, "node_modules"), modules);
  });
  after(async () => {
    for (const close of closers) await close();
  });

  it("have a licence and a page, and neither tests nor TypeScript", async () => {
    for (const { name, folder, version } of packages) {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const paths = entries.map((entry) => relative(folder, join(entry.parentPath, entry.name)));
      for (const wanted of ["LICENSE", "README.md", "package.json"])
        assert.ok(paths.includes(wanted), `${name}: ${wanted}`);
      const unwanted = paths.filter((path) =>
        /^(?!template\/).*(?:(?:^|\/)test\/|\.test\.|(?<!\.d)\.tsx?$)/.test(path),
      );
      assert.deepEqual(unwanted, [], name);
      const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
      for (const member of ["private", "scripts", "devDependencies"]) assert.equal(manifest[member], undefined, name);
      assert.equal(version, packages[0]?.version, "all packages of a release have one version");
    }
  });

  it("contain the skill for coding agents, as the tests run it", async () => {
    const skill = await readFile(join(find("swarmbase"), "SKILL.md"), "utf8");
    assert.equal(skill, await readFile(join(root, "server/SKILL.md"), "utf8"));
    const pointer = join(find("create-swarmbase"), "template/.claude/skills/swarmbase/SKILL.md");
    assert.match(await readFile(pointer, "utf8"), /`node_modules\/swarmbase\/SKILL\.md`/);
  });

  it("contain the libraries that they use: nobody can install these", async () => {
    const folder = find("swarmbase");
    const manifest = await readFile(join(folder, "package.json"), "utf8");
    for (const name of await readdir(join(root, "libraries"))) {
      assert.ok(!manifest.includes(`@swarmbase/${name}"`), name);
      for (const path of await readdir(join(folder, "src"), { recursive: true }))
        if (path.endsWith(".js"))
          assert.ok(!(await readFile(join(folder, "src", path), "utf8")).includes(`"@swarmbase/${name}"`), path);
    }
  });

  it("run as JavaScript: the service serves its API, the console and the reference", async () => {
    const address = pathToFileURL(join(find("swarmbase"), "testing/run-instance.js")).href;
    const { runInstance } = (await import(address)) as { readonly runInstance: typeof runFromSource };
    const { credentials: service, stop } = await runInstance({ dataDir, settings: { PORT: "0" } });
    closers.unshift(stop);
    setDefaultCACertificates([await readFile(service.ca_cert_file, "utf8")]);
    const headers = { apikey: service.service_role_key, authorization: `Bearer ${service.service_role_key}` };
    const agents = await fetch(`${service.url}/rest/v1/agents`, { headers });
    assert.deepEqual(await agents.json(), []);
    const page = await fetch(`${service.url}/`, { headers: { accept: "text/html" } });
    assert.deepEqual([page.status, page.headers.get("refresh")], [200, null], "the console needs no build");
    assert.equal((await fetch(`${service.url}/reference`)).status, 200);
  });
});
