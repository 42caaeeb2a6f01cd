import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { listReadmeCommands } from "../package/follow-readme.ts";
import { packPackages } from "../package/pack.ts";
import { findTarballFaults } from "../package/tarball-faults.ts";
import { type Manifest, writeManifest } from "../package/manifest.ts";
import { orderForPublishing } from "../package/publish-order.ts";
import { findPackageFaults, findPublishingFaults, type ReleaseState } from "../package/release-faults.ts";

const REPOSITORY = { type: "git", url: "git+https://example.com/swarmbase.git" };
const CHANGELOG = "# Changelog\n\n## Unreleased\n\n## 1.2.0 - 2026-11-16\n\n- A change.\n";
const SOURCE: Manifest = {
  name: "@swarmbase/notes",
  version: "1.2.0",
  description: "Notes",
  license: "Apache-2.0",
  private: true,
  exports: { ".": "./src/index.ts", "./package.json": "./package.json" },
  scripts: { build: "true" },
  dependencies: { "@swarmbase/sdk": "*", swarmbase: "*", zod: "4.6.7" },
  devDependencies: { pg: "8.0.0" },
};
const OWN = new Set(["@swarmbase/sdk", "@swarmbase/notes", "swarmbase", "create-notes"]);
const OPTIONS = { own: OWN, repository: REPOSITORY, directory: "extensions/notes", bundled: [] };

describe("the package.json of a published package", () => {
  it("has exact versions, the service as a peer, compiled exports, and nothing for work in the repository", () => {
    assert.deepEqual(JSON.parse(JSON.stringify(writeManifest(SOURCE, OPTIONS))), {
      name: "@swarmbase/notes",
      version: "1.2.0",
      description: "Notes",
      license: "Apache-2.0",
      exports: {
        ".": { types: "./src/index.d.ts", default: "./src/index.js" },
        "./package.json": "./package.json",
      },
      dependencies: { "@swarmbase/sdk": "1.2.0", zod: "4.6.7" },
      peerDependencies: { swarmbase: "1.2.0" },
      repository: { ...REPOSITORY, directory: "extensions/notes" },
      publishConfig: { access: "public", provenance: true },
      engines: { node: ">=20" },
    });
  });

  it("has compiled programs, and the folder of its sources", () => {
    const source = { ...SOURCE, name: "create-notes", bin: { "create-notes": "src/main.ts", notes: "bin/notes.js" } };
    const { bin, repository } = writeManifest(source, { ...OPTIONS, directory: "clients/create-notes" });
    assert.deepEqual(bin, { "create-notes": "src/main.js", notes: "bin/notes.js" });
    assert.deepEqual(repository, { ...REPOSITORY, directory: "clients/create-notes" });
  });

  it("does not offer sources", () => {
    const exports = {
      ".": { "swarmbase-source": "./src/index.ts", types: "./dist/index.d.ts", default: "./dist/index.js" },
    };
    const { exports: written } = writeManifest(
      { ...SOURCE, exports },
      { ...OPTIONS, repository: undefined, bundled: ["zod"] },
    );
    assert.deepEqual(written, { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } });
  });
});

function findFaults(state: ReleaseState): string[] {
  return [...findPackageFaults(state.packages), ...findPublishingFaults(state)];
}

describe("a release", () => {
  let folder = "";
  let good: ReleaseState;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "swarmbase-release-"));
    await mkdir(join(folder, "bare"));
    for (const name of ["LICENSE", "README.md"]) await writeFile(join(folder, name), "");
    const manifest = writeManifest(SOURCE, OPTIONS);
    good = {
      packages: [{ manifest, folder }],
      changelog: CHANGELOG,
      gitStatus: "",
      tags: ["v1.2.0"],
      newMigrations: [],
    };
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("without faults has none", () => {
    assert.deepEqual(findFaults(good), []);
  });

  it("needs no repository, tag or section of the changelog before it is published", () => {
    const packages = good.packages.map((one) => ({ ...one, manifest: { ...one.manifest, repository: undefined } }));
    assert.deepEqual(findPackageFaults(packages), []);
    assert.equal(
      findPublishingFaults({ packages, changelog: "", gitStatus: "", tags: [], newMigrations: [] }).length,
      3,
    );
  });

  it("publishes the service after its packages, and what creates apps last", () => {
    const packages = ["create-notes", "@swarmbase/sdk", "swarmbase", "@swarmbase/notes"].map((name) => ({ name }));
    const names = orderForPublishing(packages).map(({ name }) => name);
    assert.deepEqual(names, ["@swarmbase/sdk", "@swarmbase/notes", "swarmbase", "create-notes"]);
  });

  it("is stopped by each fault", () => {
    const [{ manifest } = { manifest: SOURCE }] = good.packages;
    const change = (members: object, place = folder) => ({
      packages: [{ manifest: { ...manifest, ...members }, folder: place }],
    });
    const other = { manifest: { ...manifest, name: "swarmbase", version: "1.3.0" }, folder };
    const cases: [Partial<ReleaseState>, RegExp][] = [
      [{ packages: [...good.packages, other] }, /several versions: @swarmbase\/notes 1\.2\.0, swarmbase 1\.3\.0/],
      [{ changelog: "## Unreleased\n## 1.2.00\n" }, /CHANGELOG\.md has no section "## 1\.2\.0"/],
      [{ tags: ["v1.2", "1.2.0"] }, /no tag v1\.2\.0/],
      [{ newMigrations: ["server/migrations/0002_a.sql"] }, /not recorded.*: server\/migrations\/0002_a\.sql/],
      [{ gitStatus: " M README.md\n" }, /working tree has changes:\n M README\.md/],
      [change({ publishConfig: { access: "public" } }), /provenance is not true/],
      [change({ publishConfig: { provenance: true } }), /access is not public/],
      [change({ repository: undefined }), /repository\.url is missing/],
      [change({ license: "MIT" }), /license is not Apache-2\.0/],
      [change({ description: undefined }), /description is missing/],
      [change({ dependencies: { zod: "^4.0.0" } }), /the dependency zod has the range "\^4\.0\.0"/],
      [change({}, join(folder, "bare")), /LICENSE is missing/],
    ];
    for (const [fault, expected] of cases) {
      const [first = "", ...rest] = findFaults({ ...good, ...fault });
      assert.match(first, expected);
      assert.ok(
        rest.every((line) => /README\.md is missing/.test(line)),
        rest.join("\n"),
      );
    }
  });
});

it("a release runs every command of the README, and reports one that it does not know", async () => {
  const readme = await readFile(join(import.meta.dirname, "../../README.md"), "utf8");
  assert.deepEqual(listReadmeCommands(readme), [
    "npm ci",
    "npm start",
    "npm run create-app ../my-app",
    "cd ../my-app",
    "npm run dev",
  ]);
  assert.throws(() => listReadmeCommands(`${readme}\n\`\`\`sh\nnpm run other\n\`\`\`\n`), /npm run other/);
});

describe("the check of a tarball", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "swarmbase-tarball-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function check(name: string, members: object, files: Readonly<Record<string, string>>): Promise<string[]> {
    const source = join(folder, name);
    await mkdir(source);
    const manifest = { name, version: "1.0.0", type: "module", license: "Apache-2.0", ...members };
    for (const [path, text] of Object.entries({ ...files, "package.json": JSON.stringify(manifest) }))
      await writeFile(join(source, path), text);
    const [packed] = await packPackages([{ name, version: "1.0.0", folder: source }], folder);
    assert.ok(packed);
    return findTarballFaults(packed);
  }

  const exports = { ".": { types: "./index.d.ts", default: "./index.js" } };
  const files = { "index.js": "export const one = 1;\n", "index.d.ts": "export declare const one: number;\n" };

  it("accepts a module with declarations, and a program without", async () => {
    assert.deepEqual(await check("good", { exports }, files), []);
    const program = { "main.js": "#!/usr/bin/env node\n", "env.d.ts": "declare const mode: string;\n" };
    assert.deepEqual(await check("program", { bin: { program: "main.js" } }, program), []);
  });

  it("reports files that are missing, and declarations that do not describe the code", async () => {
    const missing = await check("missing", { exports: { ".": "./other.js" } }, files);
    assert.match(missing.join("\n"), /^missing: .*other\.js.* does not exist/m);
    const wrong = { ...files, "index.d.ts": "declare const one: number;\nexport = one;\n" };
    const reported = await check(
      "wrong",
      { exports: { ".": "./index.js" } },
      { ...wrong, "index.js": "module.exports = 1;\n" },
    );
    assert.match(reported.join("\n"), /^wrong: /m);
    const untyped = await check(
      "untyped",
      { exports: { ".": "./index.js", "./more": "./more.js" } },
      { ...files, "more.js": "" },
    );
    assert.match(untyped.join("\n"), /^untyped: types: .*UntypedResolution.*/m);
  });
});
