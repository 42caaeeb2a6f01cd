import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { startSwarmbase } from "../../testing/index.ts";
import { makeInstanceFolder } from "../../testing/instance-folder.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";

const MODULE = pathToFileURL(join(import.meta.dirname, "../../testing/index.ts")).href;
const ADA = JSON.stringify({ email: "ada@example.com", password: "correct horse" });

describe("startSwarmbase", () => {
  let temporary = "";
  const closers: (() => Promise<void>)[] = [];

  before(async () => {
    temporary = await createTemporaryFolder({ after: (close) => closers.push(close) }, "swarmbase-testing-");
    process.env["TMPDIR"] = temporary;
    process.env["XDG_CACHE_HOME"] = join(temporary, "cache");
  });
  after(async () => {
    for (const close of closers) await close();
  });

  const listInstances = async () => (await readdir(temporary)).filter((name) => name.startsWith("swarmbase-instance-"));

  it("starts instances that this process trusts, from one template, each with its own rows, and removes them", async () => {
    const first = await startSwarmbase();
    const headers = { apikey: first.anon_key, "content-type": "application/json" };
    const signUp = await fetch(`${first.url}/auth/v1/signup`, { method: "POST", headers, body: ADA });
    assert.equal(signUp.status, 200);
    assert.equal(first.ca, await readFile(first.ca_cert_file, "utf8"));

    await using second = await startSwarmbase({ settings: { EXTENSIONS: "" } });
    assert.notEqual(second.url, first.url);
    assert.deepEqual([second.ca, second.anon_key], [first.ca, first.anon_key]);
    const signIn = await fetch(`${second.url}/auth/v1/token?grant_type=password`, {
      method: "POST",
      headers,
      body: ADA,
    });
    assert.equal(signIn.status, 400, "the second instance has no row of the first");
    const admin = { apikey: second.service_role_key, authorization: `Bearer ${second.service_role_key}` };
    assert.equal((await fetch(`${second.url}/rest/v1/agents`, { headers: admin })).status, 200);
    const docs = await Promise.all([first, second].map(async ({ url }) => (await fetch(`${url}/docs`)).status));
    assert.deepEqual(docs, [200, 404], "a setting takes precedence");
    const buffers = await Promise.all([first, second].map(readSharedBuffers));
    assert.deepEqual(buffers, ["128MB", "128MB"], "the buffers do not depend on the memory of the machine");

    await first.stop();
    assert.equal((await listInstances()).length, 1);
    await assert.rejects(fetch(`${first.url}/health`));
  });

  it("has simulated models, also where an Ollama runs", async (t) => {
    let asked = 0;
    const ollama = createServer((_request, response) => {
      asked += 1;
      response.end(JSON.stringify({ models: [{ name: "llama3.2:3b" }] }));
    }).listen(0, "127.0.0.1");
    await once(ollama, "listening");
    t.after(() => ollama.close());
    const { port } = ollama.address() as AddressInfo;
    await using instance = await startSwarmbase({ settings: { OLLAMA_HOST: `127.0.0.1:${port}` } });
    const key = instance.service_role_key;
    const headers = { apikey: key, authorization: `Bearer ${key}` };
    const models = await fetch(`${instance.url}/rest/v1/models?select=is_simulated`, { headers });
    const rows = (await models.json()) as readonly { readonly is_simulated: boolean }[];
    assert.ok(rows.length > 0 && rows.every(({ is_simulated }) => is_simulated));
    assert.equal(asked, 0);
  });

  it("says why an instance cannot start, and leaves nothing behind", async () => {
    await assert.rejects(
      startSwarmbase({ settings: { PORT: "none" } }),
      /the service ended while it started:[\s\S]*PORT/,
    );
    assert.deepEqual(await listInstances(), []);
  });

  it("an instance ends when its process is killed, and the next instance removes its folder", async () => {
    const script = `const { startSwarmbase } = await import(${JSON.stringify(MODULE)});
      const { url, ca_cert_file } = await startSwarmbase();
      console.log(JSON.stringify({ url, ca_cert_file }));
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["-C", "swarmbase-source", "--input-type=module", "--eval", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    const { url, ca_cert_file } = JSON.parse(line) as { url: string; ca_cert_file: string };
    const dataDir = dirname(dirname(ca_cert_file));
    child.kill("SIGKILL");
    await once(child, "exit");
    await until(async () => {
      const isServing = await fetch(`${url}/health`).then(
        () => true,
        () => false,
      );
      return !isServing && !existsSync(join(dataDir, "postgres/cluster/postmaster.pid"));
    }, "the service and PostgreSQL have ended");
    assert.equal(existsSync(dataDir), true);
    const next = await makeInstanceFolder();
    assert.deepEqual([existsSync(dataDir), existsSync(next)], [false, true]);
  });
});

async function readSharedBuffers({ database_url }: { readonly database_url: string }): Promise<unknown> {
  const client = new pg.Client({ connectionString: database_url });
  await client.connect();
  const { rows } = await client.query<{ shared_buffers: string }>("show shared_buffers");
  await client.end();
  return rows[0]?.shared_buffers;
}
