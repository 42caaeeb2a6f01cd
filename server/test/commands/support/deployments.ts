import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";
import type { TestContext } from "node:test";
import { type CheckOptions, checkDeployment } from "../../../src/commands/doctor/deployment/check-deployment.ts";
import { collectFindings, type Finding } from "../../../src/commands/doctor/finding.ts";
import { makeAuthority, makeLeaf } from "../../../src/http/server/tls/certificate.ts";
import { systemClock } from "../../../src/time/index.ts";

export const DAY_MS = 86_400_000;
export const daysFromNow = (from: number, to: number) => ({
  notBefore: new Date(Date.now() + from * DAY_MS),
  notAfter: new Date(Date.now() + to * DAY_MS),
});
export const VALID = daysFromNow(-1, 60);
export const AUTHORITY = makeAuthority(VALID);
export const LEAF = makeLeaf(AUTHORITY, VALID);
const STRANGE_AUTHORITY = makeAuthority(VALID);
const STRANGE_LEAF = makeLeaf(STRANGE_AUTHORITY, VALID);
export const STRANGER = { ...STRANGE_LEAF, cert: STRANGE_LEAF.cert + STRANGE_AUTHORITY.cert };

/** As `openssl req -x509` makes it, for `localhost` and a hundred years. */
export const SELF_SIGNED = {
  cert: toPem(
    "CERTIFICATE",
    "MIIBkjCCATigAwIBAgIUdas73jLLsOlMbbz8h/poslrMD9QwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAX" +
      "DTI2MTExODE4MzUzNVoYDzIxMjYxMDI1MTgzNTM1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO" +
      "PQMBBwNCAAT6XKlYViRIhyOAStqm3RWuT90fCoY6itnfxN7ehiC3pzWvTCyi4oceRfbTQgRZpPQO6u6qHyYNiINUgyX2Nao0" +
      "o2YwZDAdBgNVHQ4EFgQUv9ylBnaUYnWinBMO4URcb6ED1RowHwYDVR0jBBgwFoAUv9ylBnaUYnWinBMO4URcb6ED1RowFAYD" +
      "VR0RBA0wC4IJbG9jYWxob3N0MAwGA1UdEwEB/wQCMAAwCgYIKoZIzj0EAwIDSAAwRQIhAO7ny0IMKXOaiTXmZ7bgsfiz11qL" +
      "HpHAwdOwwHUyXy7LAiAxmZzK3h/tHHFRTxjvl8jghGKI2zO3bz3HFqXtO6L/ew==",
  ),
  key: toPem(
    "PRIVATE KEY",
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg93qD9C8sl6sx0XtLzDcaizdwNg2iTqKg7O6HrwWPa2+hRANC" +
      "AAT6XKlYViRIhyOAStqm3RWuT90fCoY6itnfxN7ehiC3pzWvTCyi4oceRfbTQgRZpPQO6u6qHyYNiINUgyX2Nao0",
  ),
};

function toPem(label: string, base64: string): string {
  return [`-----BEGIN ${label}-----`, ...(base64.match(/.{1,64}/g) ?? []), `-----END ${label}-----`, ""].join("\n");
}

export async function listen(t: TestContext, server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => {})));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

export async function serve(
  t: TestContext,
  answer: RequestListener,
  credential: { readonly cert: string; readonly key: string } = LEAF,
): Promise<string> {
  const port = await listen(t, createHttpsServer({ cert: credential.cert, key: credential.key }, answer));
  return `https://localhost:${port}`;
}

export async function check(url: string, more: Partial<CheckOptions> = {}): Promise<readonly Finding[]> {
  const findings = collectFindings();
  const options = {
    url,
    ca: [AUTHORITY.cert],
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    clock: systemClock,
    anonKey: null,
    operatorToken: null,
  };
  await checkDeployment({ ...options, ...more }, findings);
  return findings.all;
}

export function assertFound(
  all: readonly Finding[],
  wanted: readonly (readonly [string, Finding["level"], RegExp])[],
): void {
  for (const [name, level, what] of wanted) {
    const found = all.find((finding) => finding.check === name && finding.level === level && what.test(finding.what));
    assert.ok(found !== undefined, `${level} of ${name}, ${what}, in:\n${JSON.stringify(all, null, 1)}`);
    if (found.level !== "ok") assert.ok(found.why.length > 10 && found.advice.length > 8);
  }
}

/** Responses as those of the service, by path; others are a 404. */
export function answers(bodies: Readonly<Record<string, unknown>>, headers: Readonly<Record<string, string>> = {}) {
  return ({ url = "" }: IncomingMessage, response: ServerResponse): void => {
    const body = bodies[url];
    response.writeHead(body === undefined ? 404 : 200, headers).end(JSON.stringify(body ?? {}));
  };
}

export const HEALTHY = { "/health": { status: "ok", version: "1.0.0" }, "/ready": { status: "ready" } };
