import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { type ToolCallClaims, verifyToolCall } from "@swarmbase/sdk";
import pg from "pg";
import { type ExtendedService, startExtendedService, type User } from "../../support/extended-service.ts";

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let service: ExtendedService;
let ada: User;
let tool: { readonly id: string };
let swarmId: string;
let agentId: string;
let audience: string;
let token = "";

before(async () => {
  service = await startExtendedService(cleanup, { LOG_LEVEL: "trace", ACCESS_LOG_ENABLED: "true" });
  audience = await startToolServer(await readCertificate());
  ada = await service.signUp("ada");
  tool = await ada.insert("tools", {
    name: "find_orders",
    description: "Finds the orders of the person who asks.",
    kind: "http",
    input_schema: { type: "object", properties: { year: { type: "integer" } } },
    config: { method: "POST", url: `${audience}/orders`, identity: "required" },
  });
  ({ id: agentId } = await ada.insert("agents", { name: "Ann", framework: "provider_a" }));
  ({ id: swarmId } = await ada.insert("swarms", { name: "Shop" }));
  await ada.insert("swarm_agents", { swarm_id: swarmId, agent_id: agentId });
  await ada.insert("agent_tools", { agent_id: agentId, tool_id: tool.id });
});
after(async () => {
  for (const close of closers) await close();
});

/** The certificate that the service made for this machine. */
function readCertificate(): Promise<string> {
  return readFile(join(dirname(service.service.credentials.ca_cert_file ?? ""), "localhost.pem"), "utf8");
}

/** The server of a tool: answers with the claims of its caller, and with 401 to everybody else. */
async function startToolServer(pem: string): Promise<string> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    token = String(request.headers["x-service-identity"]);
    const body = Buffer.concat(await request.toArray());
    const { method, url, headers } = request;
    try {
      const options = { issuer: service.url, audience, fetch: service.fetch };
      const claims = await verifyToolCall({ method, url, headers, body }, options);
      response.end(JSON.stringify({ claims, token, key: headers["idempotency-key"] }));
    } catch (error) {
      response.writeHead(401).end(String(Reflect.get(Object(error), "reason")));
    }
  };
  const server = createServer({ key: pem, cert: pem }, (request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanup.after(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

test("in a run, the server of a tool verifies who asked, with the SDK and the published keys", async () => {
  const { sub: userId } = JSON.parse(Buffer.from(ada.token.split(".")[1] ?? "", "base64url").toString());
  const message = '/tool find_orders {"year": 2026}';
  const { run_id: runId } = await ada.send("POST", "/functions/v1/agent-respond", { swarm_id: swarmId, message });
  const path = `/rest/v1/tool_executions?run_id=eq.${runId}&select=id,status,tool_execution_payloads(output)`;
  const [execution, ...others] = await ada.send("GET", path);
  assert.deepEqual([others.length, execution.status], [0, "succeeded"], JSON.stringify(execution));
  const output: { claims: ToolCallClaims; token: string; key: string } = execution.tool_execution_payloads.output;
  const { sub, act, run_id, tool_call_id, tool: called, iss, aud } = output.claims;
  assert.deepEqual(
    { sub, act, run_id, tool_call_id, called, iss, aud },
    {
      sub: userId,
      act: { sub: agentId },
      run_id: runId,
      tool_call_id: execution.id,
      called: { id: tool.id, name: "find_orders" },
      iss: service.url,
      aud: `${audience}/orders`,
    },
  );
  assert.deepEqual([output.key, output.token], [execution.id, "[secret]"]);

  const signature = token.split(".")[2] ?? "";
  assert.ok(signature.length > 80);
  assert.ok(!service.service.output().includes(signature), "the log has the token");
  const database = new pg.Client({ connectionString: service.service.credentials.database_url });
  await database.connect();
  try {
    const { rows: tables } = await database.query<{ name: string }>(
      `select format('%I.%I', n.nspname, c.relname) as name
         from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'p') and n.nspname in ('auth', 'private', 'public', 'realtime')`,
    );
    for (const { name } of tables) {
      const { rows } = await database.query(`select 1 from ${name} t where to_jsonb(t)::text like $1`, [
        `%${signature}%`,
      ]);
      assert.equal(rows.length, 0, name);
    }
    assert.ok(tables.length > 50);
  } finally {
    await database.end();
  }
});

test("a test of the tool is made for its owner, and for nobody by the service role", async () => {
  const call = { action: "test", tool_id: tool.id, input: {} };
  const own = await ada.send("POST", "/functions/v1/tools", call);
  assert.equal(own.success, true, JSON.stringify(own));
  const { claims, key } = own.output;
  assert.deepEqual([claims.run_id, claims.act, claims.tool_call_id], [undefined, undefined, key]);
  const serviceKey = service.service.credentials.service_role_key;
  const response = await service.fetch(`${service.url}/functions/v1/tools`, {
    method: "POST",
    headers: { apikey: serviceKey, authorization: `Bearer ${serviceKey}`, "content-type": "application/json" },
    body: JSON.stringify(call),
  });
  const { success, error } = (await response.json()) as { success: boolean; error: { code: string; message: string } };
  assert.deepEqual([success, error.code], [false, "TOOL_UNUSABLE"]);
  assert.match(error.message, /nobody has asked/);
});

test("tokens of tool calls and access tokens do not pass for each other", async () => {
  await ada.send("POST", "/functions/v1/tools", { action: "test", tool_id: tool.id, input: {} });
  const { anon_key: apikey } = service.service.credentials;
  const headers = { apikey, authorization: `Bearer ${token}` };
  for (const path of ["/rest/v1/agents", "/auth/v1/user"])
    assert.equal((await service.fetch(`${service.url}${path}`, { headers })).status, 401, path);
  const request = { method: "POST", url: "/orders", headers: { "x-service-identity": ada.token }, body: "{}" };
  const options = { issuer: service.url, audience, fetch: service.fetch };
  await assert.rejects(verifyToolCall(request, options), { reason: "type_mismatch" });
  const read = async (path: string): Promise<Response> => service.fetch(`${service.url}${path}`);
  const published = await read("/.well-known/tool-calls.json");
  assert.equal(published.headers.get("cache-control"), "public, max-age=600");
  const kids = async (response: Response): Promise<unknown[]> =>
    ((await response.json()) as { keys: { kid: unknown }[] }).keys.map(({ kid }) => kid);
  const [own, ofSessions] = [await kids(published), await kids(await read("/auth/v1/.well-known/jwks.json"))];
  assert.deepEqual([own.length, ofSessions.length, ofSessions.includes(own[0])], [1, 1, false]);
});
