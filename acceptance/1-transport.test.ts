import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import net from "node:net";
import { isAbsolute, join } from "node:path";
import { after, before, test } from "node:test";
import { NEEDS_FOLDER } from "./support/given-service.ts";
import { folderOf, type Service, startService } from "./support/service.ts";

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service?.stop());

function sendPlain(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host: service.host, port: service.port }, () => socket.write(bytes));
    let text = "";
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    socket.on("error", reject);
    socket.on("end", () => {
      socket.end();
      resolve(text);
    });
  });
}

test("1 plain HTTP on the HTTPS port returns 426", async () => {
  for (const path of ["/health", "/rest/v1/agents"]) {
    const answer = await sendPlain(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 426 /);
    assert.match(answer, /\r\nupgrade: TLS\/1\.2, HTTP\/1\.1\r\n/i);
    const body = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n"))) as Record<string, unknown>;
    assert.equal(body["code"], "HTTPS_REQUIRED");
  }
});

test("1 the certificate for localhost verifies with the authority file and fails without it", async () => {
  assert.equal((await service.request("/health")).status, 200);
  if (service.credentials.ca_cert_file !== null) await assert.rejects(service.request("/health", { ca: [] }));
});

test("1 /health reports the process, /ready the database", async () => {
  const health = await service.request("/health");
  assert.equal(health.status, 200);
  assert.equal(health.body["status"], "ok");
  assert.match(String(health.body["version"]), /^\d+\.\d+\.\d+/);
  assert.equal(health.headers["cache-control"], "no-store");
  assert.equal((await service.request("/ready")).status, 200);
  const head = await service.request("/health", { method: "HEAD" });
  assert.equal(head.status, 200);
  assert.equal(head.text, "");
});

test("1 credentials.json is readable only by its owner and contains the URLs, the keys and the authority file", {
  skip: NEEDS_FOLDER,
}, async () => {
  const { credentials } = service;
  assert.equal((await stat(join(folderOf(service), "credentials.json"))).mode & 0o777, 0o600);
  assert.match(credentials.url, /^https:\/\//);
  assert.match(credentials.database_url ?? "", /^postgres(ql)?:\/\//);
  assert.ok(credentials.ca_cert_file === null || isAbsolute(credentials.ca_cert_file));
  const roleOf = (key: string) => {
    const [, claims = ""] = key.split(".");
    return (JSON.parse(Buffer.from(claims, "base64url").toString()) as Record<string, unknown>)["role"];
  };
  assert.equal(roleOf(credentials.anon_key), "anon");
  assert.equal(roleOf(credentials.service_role_key), "service_role");
});

test("1 every response has an X-Request-Id, the caller's if the request has one", async () => {
  const given = await service.request("/nowhere", { headers: { "x-request-id": "trace-42" } });
  assert.equal(given.headers["x-request-id"], "trace-42");
  const first = (await service.request("/health")).headers["x-request-id"];
  const second = (await service.request("/health")).headers["x-request-id"];
  assert.ok(first && second && first !== second);
});

test("1 a CORS preflight succeeds on every path without a key", async () => {
  for (const path of [
    "/rest/v1/agents",
    "/functions/v1/agent-respond",
    "/auth/v1/token",
    "/realtime/v1/api/broadcast",
  ]) {
    const answer = await service.request(path, {
      method: "OPTIONS",
      headers: {
        origin: "https://app.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "apikey,authorization,prefer",
      },
    });
    assert.equal(answer.status, 204, path);
    assert.equal(answer.headers["access-control-allow-origin"], "*");
    assert.equal(answer.headers["access-control-allow-headers"], "apikey,authorization,prefer");
    for (const method of ["GET", "POST", "PATCH", "DELETE"]) {
      assert.ok(answer.headers["access-control-allow-methods"]?.includes(method), method);
    }
  }
});

test("1 the service accepts long URLs", async () => {
  assert.equal((await service.request(`/health?id=in.(${"a".repeat(200_000)})`)).status, 200);
});

test("1 a request line with an absolute URL is handled like one with a path", async () => {
  const { url, anon_key: apikey } = service.credentials;
  const answer = await service.request("/", { path: new URL("/auth/v1/settings", url).href, headers: { apikey } });
  assert.equal(answer.status, 200, answer.text);
  assert.ok("external" in answer.body);
});
