import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Agent, fetch } from "undici";
import type { Parsed } from "../../../server/test/support/extended-service.ts";
import { findFreePort } from "../../../server/test/support/free-port.ts";
import { endProcesses, listProcessTree } from "../../../server/test/support/process-tree.ts";
import { startService } from "../../../server/test/support/service.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { authority } from "../../../server/test/support/tool-stage.ts";
import { until } from "../../../server/test/support/until.ts";
import { fillDataDir } from "../../../server/test/support/used-data-dir.ts";
import { SEVERAL_STARTS } from "../../../server/test/support/wait-limit.ts";
import { signIn, startOidcServer } from "../../../server/test/support/oidc-server.ts";

test("kill -9 while a call waits for an account: the sign-in continues the run, with one call as that person", {
  skip: process.platform === "linux" ? false : "reads the process tree from /proc",
  ...SEVERAL_STARTS,
}, async (t) => {
  const remote = await startOidcServer(t);
  const dataDir = await createTemporaryFolder(t, "swarmbase-connecting-");
  await fillDataDir(dataDir);
  const WEBHOOK_CA_FILE = join(dataDir, "oidc.pem");
  await writeFile(WEBHOOK_CA_FILE, authority.cert);
  const PORT = String(await findFreePort());
  const env = { PORT, WEBHOOK_CA_FILE, EXTENSIONS: "mcp-client", PROVIDER_A_KIND: "simulated" };
  const first = await startService(t, { dataDir, env });
  const { url, anon_key: anonKey, service_role_key: serviceKey, ca_cert_file: caFile } = first.credentials;
  const dispatcher = new Agent({ connect: { ca: await readFile(caFile ?? "", "utf8") }, pipelining: 0 });
  t.after(() => dispatcher.destroy());

  const send = async (method: string, path: string, body?: unknown, token = serviceKey): Promise<Parsed> => {
    const apikey = token === serviceKey ? token : anonKey;
    const response = await fetch(new URL(path, url), {
      method,
      headers: {
        apikey,
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        prefer: "return=representation",
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      dispatcher,
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? null : JSON.parse(text) };
  };
  const newPerson = async (name: string): Promise<{ readonly id: string; readonly token: string }> => {
    const credentials = { email: `${name}@example.com`, password: "correct horse battery" };
    const { body } = await send("POST", "/auth/v1/signup", credentials, anonKey);
    return { id: body.user.id, token: body.access_token };
  };
  const insert = async (table: string, row: object): Promise<string> => {
    const { status, body } = await send("POST", `/rest/v1/${table}`, row);
    assert.equal(status, 201, JSON.stringify(body));
    return body[0].id;
  };
  const [owner, alice, eve] = [await newPerson("owner"), await newPerson("alice"), await newPerson("eve")];
  const agentId = await insert("agents", { user_id: owner.id, name: "Ada", acts_for_askers: true });
  const toolId = await insert("tools", {
    owner_id: owner.id,
    name: "whoami",
    description: "Says who.",
    kind: "http",
    config: { url: `${remote.origin}/api`, auth: { type: "oauth", account: "asker" } },
  });
  await insert("agent_tools", { agent_id: agentId, tool_id: toolId });
  await insert("agent_grants", { agent_id: agentId, audience: "everyone" });

  const message = { agent_id: agentId, message: "/tool whoami {}" };
  const { status, body: asked } = await send("POST", "/functions/v1/agent-respond", message, alice.token);
  assert.equal(status, 202, JSON.stringify(asked));
  const [{ question }] = asked.pending_approvals;
  assert.equal(question.kind, "connect");
  endProcesses(await listProcessTree(first.pid), "SIGKILL");
  await first.exited;

  await startService(t, { dataDir, env });
  const answer = await signIn(question.url, "alice");
  const finish = (token?: string): Promise<Parsed> =>
    send("POST", "/functions/v1/tools", { action: "finish_authorization", ...answer }, token);
  for (const other of [eve.token, owner.token, undefined]) assert.equal((await finish(other)).status, 400);
  assert.deepEqual(remote.sent, []);
  const finished = await finish(alice.token);
  assert.equal(finished.status, 200, JSON.stringify(finished.body));
  const uses = async (): Promise<Parsed> =>
    (
      await send(
        "GET",
        `/rest/v1/tool_executions?run_id=eq.${asked.run_id}&select=status,tool_execution_payloads(output)`,
      )
    ).body;
  await until(
    async () => (await send("GET", `/rest/v1/runs?id=eq.${asked.run_id}`)).body[0].finished_at !== null,
    "the run has ended",
  );
  const [use, ...others] = await uses();
  assert.deepEqual([use.status, others], ["succeeded", []]);
  assert.match(JSON.stringify(use.tool_execution_payloads), /api for alice Bearer \[secret\]/);
  assert.equal(remote.sent.length, 1);
  assert.equal((await finish(alice.token)).status, 400, "used once");
});
