import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { createTemporaryFolder } from "../../server/test/support/temporary-folder.ts";
import { copyBundled, findBundled } from "../package/bundle.ts";
import type { Manifest } from "../package/manifest.ts";

const DEPENDENCIES = { newer: "1.0.0", old: "1.0.0", parent: "1.0.0" };
const MANIFESTS: Readonly<Record<string, object>> = {
  newer: { engines: { node: ">=22", npm: ">=10" } },
  old: { engines: { node: ">=18" } },
  parent: { dependencies: { newer: "1.0.0" } },
};

async function makePackage(t: TestContext): Promise<{ readonly from: string; readonly to: string }> {
  const folder = await createTemporaryFolder(t, "swarmbase-bundle-");
  for (const [name, manifest] of Object.entries(MANIFESTS)) {
    const installed = join(folder, "from/node_modules", name);
    await mkdir(installed, { recursive: true });
    await writeFile(join(installed, "package.json"), JSON.stringify({ name, version: "1.0.0", ...manifest }));
  }
  return { from: join(folder, "from"), to: join(folder, "to") };
}

describe("bundled dependencies", () => {
  const manifest = { dependencies: DEPENDENCIES } as unknown as Manifest;

  it("are those that declare a newer Node.js, and those that depend on one", async (t) => {
    const { from } = await makePackage(t);
    assert.deepEqual(findBundled(from, manifest, new Set()), ["newer", "parent"]);
    assert.deepEqual(findBundled(from, manifest, new Set(["parent"])), ["newer"]);
  });

  it("declare no engines that npm warns about when it installs anything else later", async (t) => {
    const { from, to } = await makePackage(t);
    await copyBundled(from, to, { dependencies: DEPENDENCIES, bundled: ["newer", "parent"] });
    const read = async (name: string): Promise<unknown> =>
      JSON.parse(await readFile(join(to, "node_modules", name, "package.json"), "utf8"));
    assert.deepEqual(await read("newer"), { name: "newer", version: "1.0.0" });
    assert.deepEqual(await read("parent"), { name: "parent", version: "1.0.0", dependencies: { newer: "1.0.0" } });
  });

  it("are copied without what no program reads", async (t) => {
    const { from, to } = await makePackage(t);
    const newer = join(from, "node_modules/newer");
    const kept = ["LICENSE", "dist/index.js", "dist/index.d.ts", "dist/src/part.js", "lib/docs.js", "package.json"];
    const left = ["dist/index.js.map", "src/index.ts", "test/index.js", "docs/page.md", "build/esm/index.js"];
    for (const name of [...kept, ...left].filter((one) => one !== "package.json")) {
      await mkdir(dirname(join(newer, name)), { recursive: true });
      await writeFile(join(newer, name), "");
    }
    await copyBundled(from, to, { dependencies: DEPENDENCIES, bundled: ["newer"] });
    const copied = await readdir(join(to, "node_modules/newer"), { recursive: true, withFileTypes: true });
    const files = copied.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
    assert.deepEqual(
      files.map((path) => relative(join(to, "node_modules/newer"), path).split(sep).join("/")).toSorted(),
      kept.toSorted(),
    );
  });
});
