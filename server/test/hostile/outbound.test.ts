import assert from "node:assert/strict";
import { test } from "node:test";
import { startPlainReceiver, startReceiver } from "../outbound/support/receiver.ts";
import { findFreePort } from "../support/free-port.ts";
import { type ProxiedNode, startProxiedNodes } from "./support/proxied-node.ts";

const SLOW = { timeout: 120_000 };

test("a service behind a proxy reaches no loopback address and reveals nothing about ports", SLOW, async (t) => {
  const {
    database: { owner },
    nodes: [node],
  } = await startProxiedNodes(t, 1);
  const user = await (node as ProxiedNode).newUser();
  const tls = await startReceiver(t);
  const plain = await startPlainReceiver(t, (socket) => void socket.end("SSH-2.0-hello\r\n"));
  const ports = [tls.port, plain.port, await findFreePort(), 22];
  let tools = 0;
  const answers = async (host: string, port: number): Promise<readonly unknown[]> => {
    const url = `https://${host}:${port}/`;
    const created = await user.send("POST", "/rest/v1/webhooks", { name: "probe", url, events: ["agent.created"] });
    const tool = { name: "probe", description: "probes", kind: "http", config: { url } };
    const createdTool = await user.send("POST", "/rest/v1/tools", tool);
    const listed = await user.send("POST", "/functions/v1/tools", { action: "list", url });
    // Rows from a time when the service allowed the address.
    const webhook = await owner.query(
      `insert into public.webhooks (user_id, name, url, events)
       values ($1, 'old', $2, '{agent.created}') returning id`,
      [user.id, url],
    );
    const sample = { webhook_id: webhook.rows[0].id, event_type: "agent.created" };
    const { delivery_id: _id, ...delivered } = (await user.send("POST", "/functions/v1/test-webhook", sample)).body;
    const stored = [];
    for (const [kind, config] of [
      ["http", { url }],
      ["mcp", { url, remote_name: "x" }],
    ] as const) {
      const { rows } = await owner.query(
        "insert into public.tools (owner_id, name, description, kind, config) values ($1, $2, 'old', $3, $4) returning id",
        [user.id, `tool_${++tools}`, kind, config],
      );
      const {
        duration_ms: _ms,
        tool_id: _tool,
        ...outcome
      } = (await user.send("POST", "/functions/v1/tools", { action: "test", tool_id: rows[0].id })).body;
      stored.push(outcome);
    }
    for (const { status, text } of [created, createdTool]) assert.equal(status, 400, `${url}: ${text}`);
    assert.deepEqual([delivered.success, delivered.response_time_ms], [false, 0], url);
    for (const { error } of stored) assert.equal((error as { code: string }).code, "TOOL_BLOCKED", url);
    return [created.body, createdTool.body, listed.body, delivered, stored];
  };
  for (const host of ["127.0.0.1", "localhost"]) {
    const [first = 0, ...others] = ports;
    const expected = await answers(host, first);
    for (const port of others) assert.deepEqual(await answers(host, port), expected, `${host}:${port}`);
  }
  const attempts = await owner.query(
    "select distinct error_code, error, response_time_ms from public.webhook_delivery_attempts order by error",
  );
  assert.deepEqual(
    attempts.rows.map(({ error_code: code, response_time_ms: ms }) => [code, ms]),
    Array(2).fill(["blocked_address", 0]),
  );
  assert.deepEqual([tls.accepted, plain.accepted], [0, 0]);
});
