import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHmac, webcrypto } from "node:crypto";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { createContext, runInContext } from "node:vm";

const run = promisify(execFile);
const sdk = resolve(import.meta.dirname, "..");
const modules = resolve(sdk, "../../node_modules");
const COMPILER = join(modules, "typescript/bin/tsc");
const BUNDLER = join(modules, "rolldown/bin/cli.mjs");
const SECRET = "whsec_dGVzdA==";
/** Size limit of the minified bundle with verifyWebhook; the whole sdk is many times larger. */
const VERIFIER_MOST_BYTES = 6_000;

/** A project that has the sdk installed as from a registry. */
let project: string;
let installed: string;

before(async () => {
  project = await mkdtemp(join(tmpdir(), "swarmbase-sdk-"));
  installed = join(project, "node_modules/@swarmbase/sdk");
  await mkdir(installed, { recursive: true });
  for (const file of ["package.json", "README.md"]) await cp(join(sdk, file), join(installed, file));
  await run(process.execPath, [COMPILER, "-p", join(sdk, "tsconfig.build.json"), "--outDir", join(installed, "dist")]);
  await writeFile(join(project, "package.json"), '{"type":"module"}');
});
after(() => rm(project, { recursive: true, force: true }));

async function bundle(name: string, source: string, ...options: readonly string[]): Promise<string> {
  const [entry, output] = [join(project, `${name}.js`), join(project, `${name}.out.js`)];
  await writeFile(entry, source);
  await run(process.execPath, [BUNDLER, entry, "--file", output, "--log-level", "warn", ...options], { cwd: project });
  return readFile(output, "utf8");
}

describe("the published package", () => {
  test("runs as plain JavaScript, without its sources and Node's types", async () => {
    const script = join(project, "use.mjs");
    await writeFile(
      script,
      `import { ERROR_CODES, buildEventSchema, verifyWebhook } from "@swarmbase/sdk";
       const reason = await verifyWebhook("{}", {}, "s").catch((error) => error.reason);
       console.log(ERROR_CODES.UNAUTHORIZED.status, reason, buildEventSchema("agent.error").title);`,
    );
    const { stdout } = await run(process.execPath, [script]);
    assert.equal(stdout.trim(), "401 timestamp_missing agent.error");
  });

  test("has types that a strict project can use without its sources", async () => {
    await writeFile(
      join(project, "use.ts"),
      `import { type Database, emit, type FunctionsClient, type SwarmbaseEvent, verifyWebhook } from "@swarmbase/sdk";
       declare module "@swarmbase/sdk" {
         interface AppEvents { "app.order.paid": { total: number } }
       }
       const event: SwarmbaseEvent = await verifyWebhook("{}", new Headers(), "s");
       if (event.type === "message.created") event.data.content.toUpperCase();
       if (event.type === "app.order.paid") event.data.total.toFixed();
       export const paid = (client: FunctionsClient) => emit(client, [{ type: "app.order.paid", data: { total: 1 } }]);
       export const other = (client: FunctionsClient) => emit(client, [{ type: "app.other", data: { any: "thing" } }]);
       // @ts-expect-error: not the data of this type
       export const wrongData = (client: FunctionsClient) => emit(client, [{ type: "app.order.paid", data: {} }]);
       export const status: Database["public"]["Tables"]["agents"]["Row"]["status"] = "idle";
       // @ts-expect-error: not a status
       export const wrong: Database["public"]["Tables"]["agents"]["Row"]["status"] = "asleep";\n`,
    );
    // The other examples need the types of these packages, which come from where they are installed.
    for (const name of ["@supabase", "ai", "zod"])
      await symlink(join(modules, name), join(project, "node_modules", name), "junction");
    const examples = join(sdk, "test/type-examples");
    for (const name of await readdir(examples)) await cp(join(examples, name), join(project, name));
    const options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom"];
    await run(process.execPath, [COMPILER, ...options, "--skipLibCheck", "false", "--types", "", "use.ts"], {
      cwd: project,
    });
    const files = await readdir(examples);
    await run(process.execPath, [COMPILER, ...options, "--skipLibCheck", "--types", "", ...files], { cwd: project });
  });

  test("uses only globals that every web platform has", async () => {
    const code = await bundle("everything", 'export * from "@swarmbase/sdk";', "--format", "iife", "--name", "sdk");
    // No process, no Buffer, no require: only what is listed here exists.
    const context = createContext({ crypto: webcrypto, TextEncoder, TextDecoder });
    runInContext(`${code}; globalThis.sdk = sdk;`, context);
    const body = JSON.stringify({ id: "evt_1", type: "agent.error", created_at: "", api_version: "", data: {} });
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = createHmac("sha256", SECRET).update(`${timestamp}.${body}`).digest("hex");
    const headers = { "x-service-signature": `sha256=${signature}`, "x-service-timestamp": timestamp };
    Object.assign(context, { body, headers, secret: SECRET });
    const type: unknown = await runInContext(
      "sdk.verifyWebhook(body, headers, secret).then((event) => event.type)",
      context,
    );
    assert.equal(type, "agent.error");
    const rejected: unknown = await runInContext(
      "sdk.verifyWebhook(body + ' ', headers, secret).catch((error) => error.reason)",
      context,
    );
    assert.equal(rejected, "signature_mismatch");
  });

  test("is tree-shakeable", async (t) => {
    const source = 'import { verifyWebhook } from "@swarmbase/sdk"; globalThis.verify = verifyWebhook;';
    const verifier = await bundle("verifier", source, "--minify");
    const everything = await bundle("all", 'export * from "@swarmbase/sdk";', "--minify");
    t.diagnostic(`verifyWebhook ${verifier.length} bytes, everything ${everything.length}`);
    assert.ok(verifier.length < VERIFIER_MOST_BYTES, `${verifier.length} bytes`);
    assert.ok(everything.length > 3 * verifier.length);
    for (const word of ["AGENT_NOT_FOUND", "message.created", "provider_a"]) {
      assert.ok(!verifier.includes(word) && everything.includes(word), word);
    }
  });

  test("imports no other package", async () => {
    for (const name of await readdir(join(installed, "dist"), { recursive: true })) {
      if (!name.endsWith(".js")) continue;
      const text = await readFile(join(installed, "dist", name), "utf8");
      for (const [, specifier = ""] of text.matchAll(/(?:from\s+|import\s*\(?)"([^"]+)"/g)) {
        assert.match(specifier, /^\.{1,2}\/.+\.js$/, `${name} imports ${specifier}`);
      }
    }
  });

  test("is packed with its built files, package.json and README only", async () => {
    // The build of prepack has run above; npm only lists the files.
    const { stdout } = await run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: installed,
      shell: process.platform === "win32",
    });
    const [packed] = JSON.parse(stdout) as { files: { path: string }[] }[];
    const paths = packed?.files.map(({ path }) => path) ?? [];
    for (const path of ["README.md", "package.json", "dist/index.js", "dist/index.d.ts"]) {
      assert.ok(paths.includes(path), `${path} is missing`);
    }
    const others = paths.filter((path) => !/^(?:README\.md|package\.json|dist\/[\w/-]+\.(?:js|d\.ts))$/.test(path));
    assert.deepEqual(others, []);
  });
});
