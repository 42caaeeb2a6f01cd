import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { SettingsError } from "../../src/config/index.ts";
import { loadExtensions } from "../../src/extensions/index.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const NOTES = fileURLToPath(new URL("fixtures/notes/index.ts", import.meta.url));

async function faultsOf(names: readonly string[], environment = {}, workingDir?: string): Promise<readonly string[]> {
  try {
    await loadExtensions({ names, environment, ...(workingDir !== undefined && { workingDir }) });
    return [];
  } catch (error) {
    assert.ok(error instanceof SettingsError, String(error));
    return error.faults;
  }
}

/** Modules of plain JavaScript, as an operator may have them, by file name. */
async function writeModules(t: TestContext, modules: Readonly<Record<string, string>>): Promise<string> {
  const folder = await createTemporaryFolder(t, "swarmbase-extensions-");
  for (const [name, text] of Object.entries(modules)) {
    await mkdir(join(folder, name, ".."), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

const VALID = `name: "valid", summary: "a summary", docs: new URL(import.meta.url)`;

describe("loading extensions", () => {
  test("resolves a plain name to a package of the repository, and a path from the working directory", async () => {
    const folder = join(NOTES, "../..");
    const environment = { NOTES_MAX: "5" };
    const loaded = await loadExtensions({
      names: ["reference", "./notes/index.ts"],
      environment,
      workingDir: folder,
    });
    assert.deepEqual(
      loaded.map(({ extension, schema }) => [extension.name, schema?.schema]),
      [
        ["reference", undefined],
        ["notes", "ext_notes"],
      ],
    );
    assert.deepEqual({ ...loaded[1]?.settings }, { NOTES_MAX: 5, NOTES_ARCHIVED_TEXT: "done", NOTES_PASSPHRASE: null });
    assert.deepEqual(await loadExtensions({ names: [], environment }), []);
  });

  test("does not print the secrets among an extension's settings", async () => {
    const environment = { NOTES_PASSPHRASE: "hunter22" };
    const [loaded] = await loadExtensions({ names: [NOTES], environment });
    assert.ok(loaded);
    assert.equal((loaded.settings as { NOTES_PASSPHRASE?: string }).NOTES_PASSPHRASE, "hunter22");
    assert.match(JSON.stringify(loaded.settings), /"NOTES_PASSPHRASE":"\(secret\)"/);
  });

  test("reports all faults of all extensions and of their settings at once", async (t) => {
    const folder = await writeModules(t, {
      "empty.js": "export const other = 1;",
      "throws.js": `throw new Error("at the top");`,
      "imports.js": `import "not-installed-anywhere"; export const extension = {};`,
    });
    const environment = { NOTES_MAX: "1000", NOTES_ARCHIVED_TEXT: "never" };
    const names = ["nothing", "@acme/nothing", "./gone.js", "./empty.js", "./throws.js", "./imports.js", NOTES];
    assert.deepEqual(await faultsOf(names, environment, folder), [
      "EXTENSIONS: nothing: not found; looked for @swarmbase/nothing and nothing",
      "EXTENSIONS: @acme/nothing: not found; looked for @acme/nothing",
      `EXTENSIONS: ./gone.js: not found; looked for file://${folder}/gone.js`,
      "EXTENSIONS: ./empty.js: exports no object named extension",
      "EXTENSIONS: ./throws.js: at the top",
      `EXTENSIONS: ./imports.js: Cannot find package 'not-installed-anywhere' imported from ${folder}/imports.js`,
      "NOTES_MAX must be a whole number from 1 to 100",
      "NOTES_ARCHIVED_TEXT must be one of done, old",
    ]);
  });

  test("reports every part that plain JavaScript got wrong", async (t) => {
    const folder = await writeModules(t, {
      "parts.js": `export const extension = { ${VALID},
        docs: new URL("missing.md", import.meta.url),
        sql: new URL("sql/", import.meta.url),
        settings: [{ name: "PORT", kind: "integer", default: 1 }, { name: "VALID_A", kind: "boolean" }],
        routes: [
          { method: "GET", path: "/valid/open", limit: null, handler() {} },
          { method: "GET", path: "/valid/free", access: "public", handler() {} },
          { method: "TRACE", path: "valid", access: "public", limit: null, handler() {} },
          { method: "GET", path: "/rest/v1/agents", access: "public", limit: "none" },
          { method: "GET", path: "/", access: "public", limit: null, handler() {} },
        ],
        workers: [{ name: "idle" }],
        toolKinds: [{ name: "Bad-Name", run() {}, findConfigFaults() {} }, { name: "half", run() {} }],
      };`,
      "name.js": `export const extension = { ${VALID}, name: "Not A Name" };`,
    });
    const faults = await faultsOf(["./parts.js", "./name.js"], {}, folder);
    assert.deepEqual(
      faults.map((fault) => fault.replace("EXTENSIONS: ./parts.js: ", "").replaceAll(folder, "")),
      [
        "docs names /missing.md, which does not exist",
        "sql names /sql/migrations/, which does not exist",
        "access is missing: every table needs its lines",
        "the name of the setting PORT must begin with VALID_",
        "the setting PORT is one of the core",
        "the setting VALID_A needs a default; null stands for none",
        "route GET /valid/open: access must be one of public, apikey, bearer, account, user, service",
        "route GET /valid/free: limit must be null or one of api, auth, ai, tool, webhook",
        "route TRACE valid: the method must be one of GET, POST, PUT, PATCH, DELETE",
        "route TRACE valid: the path must begin with / and have no *",
        "route GET /rest/v1/agents: the path is reserved for the core",
        "route GET /rest/v1/agents: limit must be null or one of api, auth, ai, tool, webhook",
        "route GET /rest/v1/agents: handler must be a function",
        "route GET /: the path is reserved for the core",
        "worker idle needs a name and a function run",
        "tool kind Bad-Name needs a name of lower-case letters, digits and _, run and findConfigFaults",
        "tool kind half needs a name of lower-case letters, digits and _, run and findConfigFaults",
        "EXTENSIONS: ./name.js: its name must have lower-case letters, digits and hyphens, and begin with a letter",
      ],
    );
  });

  test("reports names, routes and workers that two extensions claim", async (t) => {
    const route = `{ method: "GET", path: "/valid/:a", access: "public", limit: null, handler() {} }`;
    const worker = `{ name: "idle", async run() {} }`;
    const folder = await writeModules(t, {
      "one.js": `export const extension = { ${VALID}, routes: [${route}], workers: [${worker}] };`,
      "two.js": `export const extension = { ${VALID}, name: "other", routes: [${route.replace(":a", ":b")}], workers: [${worker}] };`,
    });
    assert.deepEqual(await faultsOf(["./one.js", "./two.js"], {}, folder), [
      "EXTENSIONS: the route GET /valid/: is claimed by valid and other",
      "EXTENSIONS: the worker idle is claimed by valid and other",
    ]);
    assert.deepEqual(await faultsOf(["reference", "reference"]), [
      "EXTENSIONS: the schema ext_reference is claimed by reference and reference",
      "EXTENSIONS: the route GET /openapi.json is claimed by reference and reference",
      "EXTENSIONS: the route GET /reference is claimed by reference and reference",
      "EXTENSIONS: the route GET /reference/: is claimed by reference and reference",
    ]);
  });
});
