import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { cp, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { type CuttingProxy, startCuttingProxy } from "../../server/test/support/cutting-proxy.ts";
import { type Credentials, startService } from "../../server/test/support/service.ts";
import { fillDataDir } from "../../server/test/support/used-data-dir.ts";
import { findProgram } from "../check-run.ts";
import type { Instance } from "./runtimes/program.ts";
import { startReceiver } from "./runtimes/receiver.ts";
import {
  interrupt,
  OLD_NODE,
  type PackedRelease,
  packRelease,
  readOutput,
  whyNoNode,
} from "../package/packed-release.ts";

// Installs the packed SDK and supabase-js in empty projects and runs one program on every runtime that the SDK's page names, except
// browsers, in which the tests of the console and of the created app run it. Bun, Deno and workerd come from the registry that npm is
// configured with.

const root = resolve(`${import.meta.dirname}/../..`);
const PACKAGES = ["@swarmbase/sdk", "@supabase/supabase-js"];
const STEPS = ["sign up", "ask", "stream", "resume", "reconnect", "abort", "reject", "verify", "sign"];
/** The handshake with its certificates is shorter. */
const HANDSHAKE_BYTES = 3_000;
const PROGRAM_TIMEOUT_MS = 120_000;
/** Without Node's modules and globals, which a worker would get by a flag. */
const COMPATIBILITY_DATE = "2026-01-01";

describe("the packed SDK", { skip: whyNoNode }, () => {
  const closers: (() => Promise<unknown>)[] = [];
  let release: PackedRelease;
  let credentials: Credentials;
  let proxy: CuttingProxy;
  let receiverUrl: string;
  const pinned = dirname(process.execPath);

  before(async () => {
    release = await packRelease(root, "swarmbase-runtimes-", { only: ["@swarmbase/sdk"] });
    closers.unshift(() => release.close());
    const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
    const dataDir = join(release.folder, "service");
    await fillDataDir(dataDir);
    const env = { PROVIDER_A_KIND: "simulated", SIMULATED_TOKENS_PER_SECOND: "200" };
    ({ credentials } = await startService(cleanup, { dataDir, env }));
    proxy = await startCuttingProxy(cleanup, Number(new URL(credentials.url).port));
    receiverUrl = await startReceiver(cleanup, await readFile(join(dataDir, "tls/localhost.pem"), "utf8"));
  });
  after(async () => {
    for (const close of closers) await close();
  });

  /** A project with the program; its runtime installs the packages. */
  async function makeProject(name: string, ...lines: readonly string[]): Promise<string> {
    const project = await release.makeProject(name);
    await bundle(
      project,
      join(import.meta.dirname, "runtimes/program.ts"),
      "program.js",
      "--external",
      PACKAGES.join(","),
    );
    const shakyUrl = new URL(credentials.url);
    shakyUrl.port = String(proxy.port);
    const instance: Instance = {
      url: credentials.url,
      shakyUrl: shakyUrl.href,
      anonKey: credentials.anon_key,
      receiverUrl,
      email: `${name}@example.com`,
    };
    const call = `useSwarmbase(${JSON.stringify(instance)})`;
    const text = ['import { useSwarmbase } from "./program.js";', ...lines].join("\n");
    await writeFile(join(project, "main.js"), text.replace("PROGRAM", call));
    return project;
  }

  function bundle(project: string, from: string, to: string, ...options: readonly string[]): Promise<string> {
    const bundler = findProgram(root, "rolldown", "rolldown");
    return release.run(project, pinned, "node", bundler, from, "--file", to, ...options);
  }

  /** Breaks the connections of one program; stored events come in one piece, so later connections have to be longer. */
  async function withShakyProxy<T>(work: () => Promise<T>): Promise<T> {
    const { opened } = proxy;
    proxy.limitBytes((connection) => HANDSHAKE_BYTES + 797 * (connection - opened));
    return work().finally(() => proxy.limitBytes(null));
  }

  async function runMain(project: string, program: string, ...args: readonly string[]): Promise<void> {
    const ca = credentials.ca_cert_file ?? "";
    const env = { ...release.environment(pinned), NODE_EXTRA_CA_CERTS: ca, DENO_CERT: ca, NO_COLOR: "1" };
    const options = { cwd: project, env, timeout: PROGRAM_TIMEOUT_MS };
    const { stdout } = await withShakyProxy(() => promisify(execFile)(program, [...args, "main.js"], options));
    assert.deepEqual(JSON.parse(stdout), STEPS);
  }

  /** The program of a package, or the reason why there is none for this machine. */
  async function installProgram(name: string): Promise<{ readonly path: string } | { readonly reason: string }> {
    const project = await release.makeProject(`${name}-program`);
    const path = join(project, "node_modules/.bin", name);
    try {
      await release.run(project, pinned, "npm", "install", name);
      await promisify(execFile)(path, ["--version"]);
      return { path };
    } catch (error) {
      return { reason: `npm has no ${name} that runs on this machine: ${(error as Error).message.slice(0, 200)}` };
    }
  }

  const PRINT = "console.log(JSON.stringify(await PROGRAM));";

  it("works on the pinned Node.js", async () => {
    const project = await makeProject("pinned", PRINT);
    await release.run(project, pinned, "npm", "install", ...PACKAGES);
    await runMain(project, process.execPath);
  });

  it(`works on Node.js ${OLD_NODE}, with a WebSocket for supabase-js`, async () => {
    const folder = await release.installNode(OLD_NODE);
    const project = await makeProject("old", 'import WebSocket from "ws";', "globalThis.WebSocket = WebSocket;", PRINT);
    await release.run(project, folder, "npm", "install", ...PACKAGES, "ws");
    await runMain(project, join(folder, "node"));
  });

  it("works on Bun, which installs it", async (t) => {
    const bun = await installProgram("bun");
    if ("reason" in bun) return t.skip(bun.reason);
    const project = await makeProject("bun", PRINT);
    await release.run(project, [dirname(bun.path), pinned].join(delimiter), bun.path, "add", ...PACKAGES);
    await runMain(project, bun.path);
  });

  it("works on Deno, which installs it", async (t) => {
    const deno = await installProgram("deno");
    if ("reason" in deno) return t.skip(deno.reason);
    const project = await makeProject("deno", PRINT);
    await writeFile(join(project, ".npmrc"), `registry=${release.environment(pinned)["npm_config_registry"]}\n`);
    await release.run(project, pinned, deno.path, "add", ...PACKAGES.map((name) => `npm:${name}`));
    await runMain(project, deno.path, "run", "--allow-net", "--allow-env");
  });

  it("works on an edge runtime (workerd)", async (t) => {
    const workerd = await installProgram("workerd");
    if ("reason" in workerd) return t.skip(workerd.reason);
    const project = await makeProject(
      "edge",
      "const run = () => PROGRAM.catch((error) => String(error.stack));",
      "export default { fetch: async () => Response.json(await run()) };",
    );
    await release.run(project, pinned, "npm", "install", ...PACKAGES);
    await bundle(project, "main.js", "worker.js", "--platform", "browser");
    await cp(credentials.ca_cert_file ?? "", join(project, "ca-cert.pem"));
    await writeFile(join(project, "worker.capnp"), WORKER);
    const child = spawn(workerd.path, ["serve", "worker.capnp", "--control-fd=1"], { cwd: project, detached: true });
    t.after(() => interrupt(child));
    const [, port] = await readOutput(child)(/"port":(\d+)/);
    const response = await withShakyProxy(() =>
      fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(PROGRAM_TIMEOUT_MS) }),
    );
    assert.deepEqual(await response.json(), STEPS);
  });
});

const WORKER = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "${COMPATIBILITY_DATE}",
    )),
    (name = "internet", network = (
      allow = ["private"],
      tlsOptions = (trustedCertificates = [embed "ca-cert.pem"]),
    )),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;
