import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { startPlainReceiver, startReceiver } from "../support/receiver.ts";
import type { TestDatabase } from "../support/database.ts";
import { findFreePort } from "../support/free-port.ts";
import { type ProxiedNode, startProxiedNodes } from "./support/proxied-node.ts";

test("outgoing connections of a service behind a proxy", async (t) => {
  const metricsPort = await findFreePort();
  const env = { LOG_LEVEL: "trace", ACCESS_LOG_ENABLED: "true", METRICS_PORT: String(metricsPort) };
  const { database, nodes } = await startProxiedNodes(t, 1, env);
  const [node] = nodes as [ProxiedNode];

  await t.test("loopback addresses are rejected, and the answers reveal nothing about ports", (inner) =>
    probePorts(inner, node, database),
  );
  await t.test("headers and secret of a webhook are shown to its owner and to nobody else", () =>
    searchForSecrets(node, database, metricsPort),
  );
});

async function probePorts(t: TestContext, node: ProxiedNode, { owner }: TestDatabase): Promise<void> {
  const user = await node.newUser();
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
    for (const { status, text } of [created, createdTool, listed]) assert.equal(status, 400, `${url}: ${text}`);
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
}

/** Everything that happens to a webhook happens to this one; then its secrets are looked for in everything that others can read. */
async function searchForSecrets(node: ProxiedNode, { owner }: TestDatabase, metricsPort: number): Promise<void> {
  const [ada, eve] = [await node.newUser(), await node.newUser()];
  const headerValue = "Bearer header-value-that-is-secret";
  const swarm = (await ada.send("POST", "/rest/v1/swarms", { name: "Common" })).body as unknown as { id: string }[];
  await ada.send("POST", "/rest/v1/swarm_members", { swarm_id: swarm[0]?.id, user_id: eve.id, role: "admin" });
  const socket = await node.listenToChanges(eve, "webhooks");
  const row = {
    name: "Secretive",
    url: "https://hooks.example.invalid/",
    events: ["agent.created", "swarm.updated"],
    headers: { "X-Api-Key": headerValue },
  };
  const created = (await ada.send("POST", "/rest/v1/webhooks", row)).body as unknown as Record<string, unknown>[];
  const { id, secret: firstSecret } = created[0] as { id: string; secret: string };
  assert.deepEqual(created[0]?.["headers"], row.headers);
  const sample = { webhook_id: id, event_type: "agent.created" };
  await ada.send("POST", "/functions/v1/test-webhook", sample);
  const renewed = await ada.send("POST", "/functions/v1/webhooks", { action: "regenerate_secret", webhook_id: id });
  const secrets = [headerValue, firstSecret, String(renewed.body["new_secret"])];
  await ada.send("PATCH", `/rest/v1/webhooks?id=eq.${id}`, { name: "Changed" });
  await ada.send("PATCH", `/rest/v1/webhooks?id=eq.${id}`, {
    headers: { "X-Api-Key": headerValue, Host: headerValue },
  });
  await ada.send("PATCH", `/rest/v1/webhooks?id=eq.${id}`, { retry_count: 99, headers: row.headers });
  await ada.send("POST", "/rest/v1/agents", { name: "Ada" });
  await owner.query("update public.webhooks set is_active = false, disabled_reason = 'endpoint_gone' where id = $1", [
    id,
  ]);
  const [own] = (await ada.send("GET", `/rest/v1/webhooks?id=eq.${id}`)).body as unknown as Record<string, unknown>[];
  assert.deepEqual([own?.["headers"], own?.["secret"]], [row.headers, secrets[2]]);

  const found: string[] = [];
  const search = (where: string, text: string): void => {
    assert.ok(text.length > 0, where);
    for (const secret of secrets) if (text.includes(secret)) found.push(`${where}: ${secret}`);
  };
  for (const path of [
    "/rest/v1/webhooks",
    `/rest/v1/webhooks?id=eq.${id}&select=secret,headers`,
    "/rest/v1/webhooks?select=*,webhook_deliveries(*)",
    "/rest/v1/webhook_deliveries?select=*,webhooks(*)",
    "/rest/v1/webhook_delivery_attempts",
    "/rest/v1/webhook_previous_secrets",
    "/rest/v1/webhook_backlog",
    "/rest/v1/event_feed_backlog",
    "/rest/v1/swarm_members?select=*",
    "/rest/v1/",
  ])
    search(`${path} of another user`, (await eve.send("GET", path)).text);
  for (const call of [
    ["test-webhook", sample],
    ["webhooks", { action: "regenerate_secret", webhook_id: id }],
    ["webhook-dispatcher", { action: "recover_since", webhook_id: id, since: "2026-01-01T00:00:00Z" }],
  ] as const)
    search(`${call[0]} of another user`, (await eve.send("POST", `/functions/v1/${call[0]}`, call[1])).text);
  // The change of her own row comes after those of the other webhook.
  await eve.send("POST", "/rest/v1/webhooks", { ...row, name: "Mine", headers: {} });
  search("realtime of another user", await socket.readUntil("Mine"));

  const tables = await owner.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name
       from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and n.nspname in ('auth', 'private', 'public', 'realtime')`,
  );
  assert.ok(tables.rows.length > 30);
  for (const { name } of tables.rows) {
    const { rows } = await owner.query<{ text: string }>(`select to_jsonb(t)::text as text from ${name} t`);
    const text = rows.map((one) => one.text).join("\n");
    if (name === "public.webhooks") assert.ok(text.includes(headerValue) && text.includes(String(secrets[2])));
    else if (name === "private.webhook_previous_secrets") assert.ok(text.includes(firstSecret));
    else search(name, `${name}\n${text}`);
  }
  search("metrics", await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text());
  search("log", node.program.stdout() + node.program.stderr());
  assert.match(node.program.stdout(), new RegExp(ada.id), "the log has lines about the owner");
  assert.deepEqual(found, []);
}
