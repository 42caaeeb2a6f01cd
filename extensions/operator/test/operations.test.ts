import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { findFreePort } from "../../../server/test/support/free-port.ts";
import { EXTENSION, type OperatorService, type Person, startOperatorService } from "./support/operator-service.ts";

const MARKER = "planted0marker";
const HOOKS = [
  "CUSTOM_ACCESS_TOKEN",
  "BEFORE_USER_CREATED",
  "PASSWORD_VERIFICATION_ATTEMPT",
  "MFA_VERIFICATION_ATTEMPT",
  "SEND_EMAIL",
];
const closers: (() => Promise<void>)[] = [];
let service: OperatorService;
let ada: Person;
let bob: Person;
let calls = 0;
let planted: Readonly<Record<string, string>> = {};
/** Those of the test itself. */
const OTHER_SECRETS = ["DATABASE_URL", "DATABASE_DIRECT_URL", "DATABASE_ADMIN_URL", "MASTER_KEY"];

const asAda = (method: string, path: string, body?: unknown) =>
  service.call(ada.token, method, `/operator/v1${path}`, body);

/** A vendor that rejects the key and quotes it. */
async function startVendor(): Promise<string> {
  const server = createServer((request, response) => {
    calls += 1;
    response.writeHead(401, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: `wrong key ${request.headers.authorization}` } }));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  closers.unshift(async () => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1?key=${MARKER}`;
}

before(async () => {
  planted = {
    ANON_KEY: `anon-${MARKER}`,
    ...Object.fromEntries(HOOKS.map((name) => [`AUTH_HOOK_${name}_SECRET`, `v1,whsec_${MARKER.repeat(3)}`])),
    SERVICE_ROLE_KEY: `service-${MARKER}`,
    PROVIDER_A_API_KEY: MARKER,
    PROVIDER_B_API_KEY: MARKER,
    PROVIDER_C_API_KEY: MARKER,
    REDIS_URL: `redis://:${MARKER}@127.0.0.1:${await findFreePort()}`,
    SMTP_URL: `smtp://ada:${MARKER}@127.0.0.1:${await findFreePort()}`,
    BACKUP_S3_ACCESS_KEY_ID: MARKER,
    BACKUP_S3_SECRET_ACCESS_KEY: MARKER,
    FUNCTIONS_SECRET: MARKER.repeat(3),
    OTEL_EXPORTER_OTLP_HEADERS: `key=${MARKER}`,
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: `key=${MARKER}`,
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: `key=${MARKER}`,
    OTEL_EXPORTER_OTLP_LOGS_HEADERS: `key=${MARKER}`,
  };
  service = await startOperatorService(
    { after: (close) => void closers.unshift(close) },
    {
      ...planted,
      EXTENSIONS: `${EXTENSION},backup,app-functions,opentelemetry`,
      OTEL_SDK_DISABLED: "true",
      AUTH_AUTOCONFIRM: "true",
      AUTH_ACME_ISSUER: `https://localhost:${await findFreePort()}`,
      AUTH_ACME_CLIENT_ID: "of-acme",
      AUTH_ACME_CLIENT_SECRET: MARKER,
      PROVIDER_A_KIND: "openai-compatible",
      PROVIDER_A_BASE_URL: await startVendor(),
      PROVIDER_A_MODELS: "small",
      PROVIDER_B_KIND: "simulated",
    },
  );
  ada = await service.createOperator("ada");
  bob = await service.signUp("bob");
});

after(async () => {
  for (const close of closers) await close();
});

test("no response has a secret of the settings", async () => {
  const { body } = await asAda("GET", "/settings");
  type Row = { name: string; is_secret: boolean; is_set: boolean; value: string | null };
  const byName = new Map<string, Row>(body.settings.map((row: Row) => [row.name, row]));
  const secret = [...byName.values()].filter((row) => row.is_secret);
  const names = secret.map(({ name }) => name).sort();
  assert.deepEqual(
    names,
    [...Object.keys(planted), ...OTHER_SECRETS].sort(),
    "plant the marker in each secret setting",
  );
  for (const { name, is_set: isSet, value } of secret)
    assert.deepEqual([value, isSet], [null, !/DIRECT|ADMIN/.test(name)], name);
  assert.match(byName.get("PROVIDER_A_BASE_URL")?.value ?? "", /^http:\/\/127\.0\.0\.1:\d+\/v1\?key=\*\*\*$/);
  assert.deepEqual(
    [byName.get("OPERATOR_ENABLED")?.value, byName.get("OPERATOR_AUDIT_RETENTION_DAYS")?.is_set],
    ["true", false],
  );

  const { password } = new URL(service.database.adminUrl);
  const kept = [MARKER, service.database.masterKey, ...(password === "" ? [] : [password])];
  const paths = [
    "settings",
    "providers",
    "sign-in-providers",
    "hooks",
    "mail",
    "nodes",
    "metrics",
    "logs",
    "audit",
    "users",
  ];
  for (const path of paths) {
    const { status, text } = await asAda("GET", `/${path}`);
    assert.equal(status, 200, text);
    for (const hidden of kept) assert.ok(!text.includes(hidden), path);
  }
});

test("a provider is tested with one call, and its failure is told in plain words", async () => {
  const { body } = await asAda("GET", "/providers");
  const [first, second] = body.providers;
  assert.deepEqual(
    [first.framework, first.kind, first.state, first.has_key, first.models, first.default_model],
    ["provider_a", "openai-compatible", "ready", true, ["small"], "small"],
  );
  assert.deepEqual([second.name, second.kind], ["Simulated", "simulated"]);

  const failed = await asAda("POST", "/providers/provider_a/test", {});
  assert.equal(failed.status, 200, failed.text);
  const { is_ok: isOk, error_code: code, message, provider_status: status } = failed.body.test;
  assert.deepEqual([isOk, code, status, calls], [false, "PROVIDER_AUTH_FAILED", 401, 1]);
  assert.match(message, /refused the credentials/);
  assert.ok(!failed.text.includes(MARKER));

  const passed = await asAda("POST", "/providers/provider_b/test", {});
  assert.equal(passed.body.test.is_ok, true, passed.text);
  assert.match(passed.body.test.answer, /^\[simulated\]/);
  const unknown = await asAda("POST", "/providers/provider_a/test", { model: "large" });
  assert.deepEqual([unknown.body.test.error_code, calls], ["INVALID_MODEL", 1]);
  assert.equal((await asAda("POST", "/providers/openai/test", {})).status, 404);
  const { rows } = await service.database.owner.query(
    "select target, details from ext_operator.audit where action = 'providers.test' order by id limit 1",
  );
  const details = { model: "small", is_ok: false, error_code: "PROVIDER_AUTH_FAILED" };
  assert.deepEqual(rows, [{ target: "providers/provider_a", details }]);
});

test("a sign-in provider is listed without its secret, and a check that fails is told and recorded", async () => {
  const list = async () => (await asAda("GET", "/sign-in-providers")).body.providers;
  const [acme] = await list();
  const callback = `${service.url}/auth/v1/callback`;
  assert.deepEqual([acme.name, acme.client_id, acme.callback_url, acme.check], ["acme", "of-acme", callback, null]);
  const { status, body: check } = await asAda("POST", "/sign-in-providers/acme/check");
  assert.deepEqual([status, check.ok, typeof check.message], [200, false, "string"]);
  assert.deepEqual((await list())[0].check, check);
  for (const name of ["nobody", "a%2Fb"])
    assert.equal((await asAda("POST", `/sign-in-providers/${name}/check`)).status, 404, name);
  const { rows } = await service.database.owner.query(
    "select target, details from ext_operator.audit where action = 'sign_in_providers.check' order by id limit 1",
  );
  assert.deepEqual(rows, [{ target: "sign-in-providers/acme", details: { ok: false } }]);
});

test("programs are registered, listed page by page, changed and deleted, and the secret is in no other answer", async () => {
  const path = "/oauth-clients";
  const fields = { client_name: "Reports", redirect_uris: ["https://app.example.com/cb"], scope: "read approve" };
  const made = await asAda("POST", path, fields);
  assert.deepEqual(
    [made.status, made.body.client_type, made.body.scope],
    [201, "confidential", "read approve"],
    made.text,
  );
  const { client_id: id, client_secret: secret } = made.body;
  const changed = await asAda("PATCH", `${path}/${id}`, { client_name: "Weekly" });
  assert.deepEqual([changed.status, changed.body.client_name, changed.body.client_secret], [200, "Weekly", undefined]);
  const renewed = await asAda("POST", `${path}/${id}/regenerate_secret`);
  assert.equal(renewed.status, 200, renewed.text);
  assert.notEqual(renewed.body.client_secret, secret);

  // The id of a client that a document describes is an address.
  const document = "https://client.example.com/a%2Fb/oauth.json?x=1";
  await service.database.owner.query(
    `insert into auth.oauth_clients (id, registration, name, redirect_uris, created_at)
     select case n when 1 then $1 else 'client-' || n end, 'document', 'Many', '{https://app.example.com/cb}', '2020-01-01'
       from generate_series(1, 60) n`,
    [document],
  );
  const first = await asAda("GET", path);
  assert.deepEqual([first.body.clients.length, first.body.next], [50, "2"], first.text);
  const second = await asAda("GET", `${path}?page=2`);
  assert.deepEqual([second.body.clients.length, second.body.next], [11, null]);
  for (const { text } of [first, second]) assert.ok(!/secret_hash|client_secret"/.test(text), text);
  const ids = [...first.body.clients, ...second.body.clients].map(({ client_id }: { client_id: string }) => client_id);
  assert.equal(new Set(ids).size, 61);
  for (const page of ["0", "x", "1e9"]) assert.equal((await asAda("GET", `${path}?page=${page}`)).status, 400, page);
  assert.equal((await asAda("POST", path, { ...fields, secret_hash: "x" })).status, 400);
  assert.equal((await asAda("POST", path, { ...fields, redirect_uris: ["http://app.example.com"] })).status, 400);

  const one = `${path}/${encodeURIComponent(document)}`;
  assert.equal((await asAda("PATCH", one, { client_name: "Mine" })).status, 422);
  for (const target of [`${path}/${id}`, one]) {
    assert.equal((await asAda("DELETE", target)).status, 200, target);
    assert.equal((await asAda("DELETE", target)).status, 404, target);
  }
  const { rows } = await service.database.owner.query(
    `select action, target, details from ext_operator.audit
      where action like 'oauth_clients.%' and outcome = 'done' and action <> 'oauth_clients.list' order by id`,
  );
  const show = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  const name = fields.client_name;
  const [created, ...others] = rows;
  assert.deepEqual([created.details.client_id, created.details.client_name], [id, name]);
  const changes = Object.fromEntries(Object.entries(fields).map(([field, to]) => [field, [null, show(to)]]));
  assert.deepEqual(created.details.changes, changes);
  const target = `oauth-clients/${id}`;
  const renamed = others[1].details.client_name;
  assert.deepEqual(others, [
    {
      action: "oauth_clients.change",
      target,
      details: { client_name: name, changes: { client_name: [name, renamed] } },
    },
    { action: "oauth_clients.new_secret", target, details: { client_name: renamed, changes: {} } },
    { action: "oauth_clients.delete", target, details: { client_name: renamed, changes: {} } },
    {
      action: "oauth_clients.delete",
      target: `oauth-clients/${document}`,
      details: { client_name: "Many", changes: {} },
    },
  ]);
});

test("a mail server that cannot be reached is told in plain words", async () => {
  const { body } = await asAda("GET", "/mail");
  assert.deepEqual([body.transport.via, body.transport.folder], ["smtp", null]);
  const { status, body: sent } = await asAda("POST", "/mail/test");
  assert.deepEqual([status, sent.test.is_ok, sent.test.to], [200, false, ada.email]);
  assert.match(sent.test.message, /^The connection to the mail server failed/);
});

test("only operators reach these routes", async () => {
  for (const [method, path] of [
    ["GET", "/settings"],
    ["GET", "/providers"],
    ["POST", "/providers/provider_a/test"],
    ["GET", "/mail"],
    ["POST", "/mail/test"],
    ["GET", "/nodes"],
    ["GET", "/oauth-clients"],
    ["POST", "/oauth-clients"],
    ["DELETE", "/oauth-clients/x"],
  ] as const) {
    const { status, body } = await service.call(bob.token, method, `/operator/v1${path}`);
    assert.deepEqual([status, body.details], [403, { lacks: "operator" }], path);
  }
  assert.equal(calls, 1);
});
