import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../../..");
const own = resolve(import.meta.dirname, "..");
const COMPILER = join(root, "node_modules/typescript/bin/tsc");

/** A project that has the sdk and the hooks installed as from a registry. */
let project: string;
const compile = (...args: readonly string[]): Promise<unknown> =>
  run(process.execPath, [COMPILER, ...args], { cwd: project });

describe("the published package", () => {
  before(async () => {
    project = await mkdtemp(join(tmpdir(), "swarmbase-react-"));
    const modules = join(project, "node_modules");
    await writeFile(join(project, "package.json"), '{"type":"module"}');
    await mkdir(modules);
    // The optional peer of the SDK, without which the SDK does not compile.
    await symlink(join(root, "node_modules/ai"), join(modules, "ai"), "junction");
    for (const [name, folder] of [
      ["sdk", join(root, "clients/sdk")],
      ["react", own],
    ] as const) {
      const installed = join(modules, "@swarmbase", name);
      await mkdir(installed, { recursive: true });
      await cp(join(folder, "package.json"), join(installed, "package.json"));
      // Built where only what the package depends on is found.
      await cp(join(folder, "src"), join(project, name, "src"), { recursive: true });
      const settings = JSON.parse(await readFile(join(folder, "tsconfig.build.json"), "utf8")) as object;
      const settingsFile = join(project, name, "tsconfig.json");
      await writeFile(settingsFile, JSON.stringify({ ...settings, extends: join(root, "tsconfig.json") }));
      if (name === "react")
        for (const other of ["@supabase", "@types", "react", "react-dom", "csstype"])
          await symlink(join(root, "node_modules", other), join(modules, other), "junction");
      await compile("-p", settingsFile, "--outDir", join(installed, "dist"));
    }
  });
  after(() => rm(project, { recursive: true, force: true }));

  test("has types for a strict project, with the component of the README", async () => {
    for (const name of await readdir(join(own, "test/fixtures")))
      await cp(join(own, "test/fixtures", name), join(project, name));
    const options = [
      "--strict",
      "--noEmit",
      "--jsx",
      "react-jsx",
      "--module",
      "esnext",
      "--moduleResolution",
      "bundler",
    ];
    const platform = ["--target", "es2022", "--lib", "es2022,dom,dom.iterable", "--types", "", "--skipLibCheck"];
    await compile(...options, ...platform, "--allowImportingTsExtensions", "main.tsx", "room.tsx", "types.tsx");
  });

  test("imports only the sdk and its peers, and nothing of Node.js", async () => {
    const { dependencies = {}, peerDependencies = {} } = JSON.parse(
      await readFile(join(own, "package.json"), "utf8"),
    ) as Record<string, Record<string, string>>;
    const allowed = [...Object.keys(dependencies), ...Object.keys(peerDependencies)];
    const built = join(project, "node_modules/@swarmbase/react/dist");
    for (const name of await readdir(built)) {
      const text = await readFile(join(built, name), "utf8");
      for (const [, specifier = ""] of text.matchAll(/^(?:import|export)\b[^;"]* from "([^"]+)"/gm))
        assert.ok(specifier.startsWith("./") || allowed.includes(specifier), `${name} imports ${specifier}`);
    }
  });
});
