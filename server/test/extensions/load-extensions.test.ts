import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { loadConfiguredExtensions } from "../../src/commands/load-configured-extensions.ts";
import { loadSettings, SettingsError } from "../../src/config/index.ts";
import { loadExtensions, rejectCoreNames } from "../../src/extensions/index.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const NOTES = fileURLToPath(new URL("fixtures/notes/index.ts", import.meta.url));

async function faultsOf(names: readonly string[], environment = {}, workingDir?: string): Promise<readonly string[]> {
  try {
    const loaded = await loadExtensions({ names, environment, ...(workingDir !== undefined && { workingDir }) });
    await rejectCoreNames(loaded);
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
      loaded.map(({ specifier, extension, schema }) => [specifier, extension.name, schema?.schema]),
      [
        ["reference", "reference", undefined],
        ["./notes/index.ts", "notes", "ext_notes"],
      ],
    );
    assert.deepEqual({ ...loaded[1]?.settings }, { NOTES_MAX: 5, NOTES_ARCHIVED_TEXT: "done", NOTES_PASSPHRASE: null });
    assert.deepEqual(await loadExtensions({ names: [], environment }), []);
  });

  test("adds the shipped kinds of providers where a provider is configured, unless a named extension has kinds", async (t) => {
    const shipped = fileURLToPath(new URL("../../../extensions/providers/src/index.ts", import.meta.url));
    const own = `import { extension as shipped } from ${JSON.stringify(shipped)};
      export const extension = { ${VALID}, providerKinds: shipped.providerKinds.slice(0, 1) };`;
    const folder = await writeModules(t, { "own.js": own });
    const namesOf = async (EXTENSIONS: string, PROVIDER_B_API_KEY = "key", more = {}): Promise<readonly string[]> => {
      const environment = { EXTENSIONS, PROVIDER_B_API_KEY, ...more };
      const loaded = await loadConfiguredExtensions(loadSettings(environment), environment);
      return loaded.map(({ extension }) => extension.name);
    };
    assert.deepEqual(await namesOf("", ""), []);
    assert.deepEqual(await namesOf(""), ["providers"]);
    assert.deepEqual(await namesOf("reference"), ["providers", "reference"]);
    assert.deepEqual(await namesOf("reference,providers"), ["reference", "providers"]);
    assert.deepEqual(await namesOf(join(folder, "own.js")), ["valid"]);
    const missing = { PROVIDERS_FILE: join(folder, "missing.json") };
    assert.deepEqual(await namesOf("reference", "", missing), ["reference"], "the service reports faults of providers");
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
        tables: [{ name: "agents", ownerColumn: "user_id", columns: {}, managed: [] }, { name: "Bad Name" }],
        settings: [{ name: "PORT", kind: "integer", default: 1 }, { name: "VALID_A", kind: "boolean" }],
        routes: [
          { method: "GET", path: "/valid/open", limit: null, handler() {} },
          { method: "GET", path: "/valid/free", access: "public", handler() {} },
          { method: "GET", path: "/valid/all", access: "user", keyScope: "all", renderError: 1, limit: null, handler() {} },
          { method: "TRACE", path: "valid", access: "public", limit: null, handler() {} },
          { method: "GET", path: "/rest/v1/agents", access: "public", limit: "none" },
          { method: "GET", path: "/", access: "public", limit: null, handler() {} },
        ],
        standardVariables: [{ name: "PORT" }, { name: "otel_x" }],
        telemetry: null,
        workers: [{ name: "idle" }],
        toolKinds: [{ name: "Bad-Name", run() {}, findConfigFaults() {} }, { name: "half", run() {} }],
        providerKinds: [{ kind: "simulated" }],
        commands: [{ name: "Count", summary: "s", help: "h", run() {} }, { name: "count", summary: "", help: "h", run() {} }],
        gauges: [{ name: "valid_gauge", help: "h" }],
        findProblems: [],
        findHelp: "/help",
        describeSchema: {},
      };`,
      "name.js": `export const extension = { ${VALID}, name: "Not A Name" };`,
      "http.js": `export const extension = { ${VALID}, name: "http",
        toolKinds: ["http", "get"].map((name) => ({ name, run() {}, findConfigFaults() {} })) };`,
      "client.js": `export const extension = { ${VALID}, name: "http-client",
        toolKinds: ["http", "get"].map((name) => ({ name, run() {}, findConfigFaults() {} })) };`,
    });
    const faults = await faultsOf(["./parts.js", "./name.js", "./http.js", "./client.js"], {}, folder);
    assert.deepEqual(
      faults.map((fault) => fault.replace("EXTENSIONS: ./parts.js: ", "").replaceAll(folder, "")),
      [
        "docs names /missing.md, which does not exist",
        "sql names /sql/migrations/, which does not exist",
        "the table agents needs the lines of API keys in access.keyMatrix",
        "the table Bad Name needs a name of lower-case letters, digits and _",
        "the table Bad Name needs ownerColumn, columns and managed",
        "the table Bad Name needs the lines of API keys in access.keyMatrix",
        "access is missing: every table needs its lines",
        "the name of the setting PORT must begin with VALID_",
        "the setting PORT is one of the core",
        "the setting VALID_A needs a default; null stands for none",
        "the variable PORT is one of the core",
        "the variable otel_x must have capitals, digits and _",
        "telemetry needs a function open",
        "route GET /valid/open: access must be one of public, apikey, bearer, bearer-alone, optional-bearer, account, user, service",
        "route GET /valid/free: limit must be null or one of api, auth, ai, tool, webhook",
        'route GET /valid/all: keyScope must be null, "checked" or a list of read, write, run, approve, share, secrets',
        "route GET /valid/all: renderError must be a function",
        "route TRACE valid: the method must be one of GET, POST, PUT, PATCH, DELETE",
        "route TRACE valid: the path must begin with / and have no *",
        "route GET /rest/v1/agents: the path is reserved for the core",
        "route GET /rest/v1/agents: limit must be null or one of api, auth, ai, tool, webhook",
        "route GET /rest/v1/agents: handler must be a function",
        "route GET /: the path is reserved for the core",
        "worker idle needs a name and a function run",
        "tool kind Bad-Name needs a name of lower-case letters, digits and _, and run and findConfigFaults, or open",
        "tool kind half needs a name of lower-case letters, digits and _, and run and findConfigFaults, or open",
        "the provider kind simulated must be one of openai, openai-responses, openai-compatible, anthropic, google",
        "the provider kind simulated needs open, cachePrices, minOutputTokens and the four functions that map settings",
        "gauge valid_gauge needs help and a name that begins with swarmbase_valid_",
        "findProblems must be a function",
        "command Count needs a name of lower-case letters, digits and hyphens, summary, help and run",
        "command count needs a name of lower-case letters, digits and hyphens, summary, help and run",
        "findHelp must be a function",
        "describeSchema must be a function",
        "EXTENSIONS: ./name.js: its name must have lower-case letters, digits and hyphens, and begin with a letter",
        "EXTENSIONS: ./http.js: the tool kind http is one of the core",
        "EXTENSIONS: ./client.js: the tool kind http is one of the core",
      ],
    );
  });

  test("adds the routes that depend on settings, and reports what is wrong with them", async (t) => {
    const setting = `settings: [{ name: "VALID_PATHS", kind: "names", default: [], secret: false, description: "Paths." }]`;
    const port = new URL("../../src/extensions/port.ts", import.meta.url).href;
    const folder = await writeModules(t, {
      "routes.js": `export const extension = { ${VALID}, ${setting},
        configure: async ({ VALID_PATHS: paths }) => ({
          trustedUrls: ["http://127.0.0.1:1/"],
          routes: paths.map((path) => ({ method: "GET", path: "/" + path, access: "public", limit: null, handler() {} })),
        }) };`,
      "throws.js": `export const extension = { ${VALID}, configure() { throw new Error("a reason"); } };`,
      "lists.js": `import { SettingsError } from "${port}";
        export const extension = { ${VALID}, configure() { throw new SettingsError(["one", "two"]); } };`,
      "parts.js": `export const extension = { ${VALID}, configure: 1 };`,
      "url.js": `export const extension = { ${VALID}, configure: () => ({ trustedUrls: ["here"] }) };`,
    });
    const environment = { VALID_PATHS: "valid,functions/v1/my-name,functions/v1/my_name/deeper" };
    const [loaded] = await loadExtensions({ names: ["./routes.js"], environment, workingDir: folder });
    const paths = ["/valid", "/functions/v1/my-name", "/functions/v1/my_name/deeper"];
    assert.deepEqual(
      loaded?.routes.map(({ path }) => path),
      paths,
    );
    assert.deepEqual(loaded?.trustedUrls, ["http://127.0.0.1:1/"]);
    for (const reserved of [
      ["functions/v1", "functions/v1/", "functions/v1/:name", "functions/v1/_x", "auth/v1/me"],
      ["functions/v1/batch", "functions/v1/batch/x"],
    ])
      assert.deepEqual(
        await faultsOf(["./routes.js"], { VALID_PATHS: reserved.join(",") }, folder),
        reserved.map((path) => `EXTENSIONS: ./routes.js: route GET /${path}: the path is reserved for the core`),
      );
    assert.deepEqual(await faultsOf(["./throws.js", "./lists.js", "./parts.js", "./url.js"], {}, folder), [
      "EXTENSIONS: valid: a reason",
      "one",
      "two",
      "EXTENSIONS: ./parts.js: configure must be a function",
      "EXTENSIONS: ./url.js: the trusted URL here is not valid",
    ]);
  });

  test("hands an extension the standard variables that it declares and that are set, and lists the faults that it finds", async (t) => {
    const folder = await writeModules(t, {
      "one.js": `export const extension = { ${VALID},
        standardVariables: ["OTEL_A", "OTEL_B", "OTEL_C"].map((name) => ({ name })),
        telemetry: { open: async () => null, findFaults: ({ OTEL_A }) => (OTEL_A === "1" ? [] : ["OTEL_A must be 1"]) },
      };`,
      "two.js": `export const extension = { ${VALID}, name: "other", standardVariables: [{ name: "OTEL_A" }], telemetry: { open() {} } };`,
    });
    const environment = { OTEL_A: "1", OTEL_B: "", OTEL_D: "other" };
    const [loaded] = await loadExtensions({ names: ["./one.js"], environment, workingDir: folder });
    assert.deepEqual(loaded?.variables, { OTEL_A: "1" });
    assert.deepEqual(await faultsOf(["./one.js", "./two.js"], { OTEL_A: "2" }, folder), [
      "OTEL_A must be 1",
      "EXTENSIONS: the telemetry is claimed by valid and other",
      "EXTENSIONS: the setting OTEL_A is claimed by valid and other",
    ]);
  });

  test("reports names, routes, workers, commands and help for errors that two extensions claim", async (t) => {
    const route = `{ method: "GET", path: "/valid/:a", access: "public", limit: null, handler() {} }`;
    const worker = `{ name: "idle", async run() {} }`;
    const command = `{ name: "count", summary: "s", help: "h", async run() {} }`;
    const parts = `workers: [${worker}], commands: [${command}]`;
    const pins = `{ name: "note_pins", ownerColumn: "user_id", columns: {}, managed: [] }`;
    const folder = await writeModules(t, {
      "one.js": `export const extension = { ${VALID}, routes: [${route}], ${parts}, findHelp() {} };`,
      "pins.js": `export const extension = { ${VALID}, name: "pins", sql: new URL("sql/", import.meta.url),
        tables: [${pins}], access: { matrix: "", keyMatrix: "none", statements: {} } };`,
      "sql/migrations/0001_pins.sql": "",
      "two.js": `export const extension = { ${VALID}, name: "other", routes: [${route.replace(":a", ":b")}], ${parts}, findHelp() {} };`,
    });
    assert.deepEqual(await faultsOf(["./one.js", "./two.js"], {}, folder), [
      "EXTENSIONS: the route GET /valid/: is claimed by valid and other",
      "EXTENSIONS: the worker idle is claimed by valid and other",
      "EXTENSIONS: the help for errors is claimed by valid and other",
      "EXTENSIONS: the command count is claimed by valid and other",
    ]);
    const twice = await faultsOf(["providers", "providers"]);
    assert.ok(twice.includes("EXTENSIONS: the provider kind openai is claimed by providers and providers"));
    assert.deepEqual(await faultsOf([NOTES, "./pins.js"], {}, folder), [
      "EXTENSIONS: the table note_pins is claimed by notes and pins",
    ]);
    assert.deepEqual(await faultsOf(["reference", "reference"]), [
      "EXTENSIONS: the schema ext_reference is claimed by reference and reference",
      "EXTENSIONS: the route GET /openapi.json is claimed by reference and reference",
      "EXTENSIONS: the route GET /reference is claimed by reference and reference",
      "EXTENSIONS: the route GET /reference/: is claimed by reference and reference",
      "EXTENSIONS: the description of tables is claimed by reference and reference",
    ]);
  });
});
