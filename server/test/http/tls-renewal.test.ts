import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "node:tls";
import { loadSettings } from "../../src/config/index.ts";
import { createHttpServer, keepTlsCurrent, loadTlsMaterial } from "../../src/http/index.ts";
import type { Observer } from "../../src/observe/index.ts";
import { RpcPeer } from "../../src/processes/index.ts";
import { loadCertificate, openCertificate } from "../../src/wiring/certificate.ts";
import { connectPrimary } from "../../src/wiring/processes/connect-primary.ts";
import { silentObserver } from "../support/silent-observer.ts";
import { until } from "../support/until.ts";

const DAY_MS = 86_400_000;

test("a running server applies a renewed certificate, local or operator's", async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "swarmbase-renewal-"));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const notes: string[] = [];
  const observer: Observer = { note: (name) => void notes.push(name), child: () => observer };
  let daysLater = 0;
  const clock = { now: () => new Date(Date.now() + daysLater * DAY_MS) };
  let files: { certFile: string | null; keyFile: string | null } = { certFile: null, keyFile: null };
  const load = () => loadTlsMaterial({ dataDir, ...files, clock });
  const first = await load();
  const server = createHttpServer({
    settings: {
      ...loadSettings({}),
      host: "127.0.0.1",
      port: 0,
      tlsMode: "serve",
      trustedProxies: [],
      bodyLimitBytes: 1024,
      stopTimeoutMs: 100,
    },
    tls: first,
    routes: [],
    observer,
  });
  const { port } = await server.listen();
  const ending = new AbortController();
  const worker = keepTlsCurrent({ first, intervalMs: 10, observer, load, apply: (tls) => server.renewTls(tls) });
  const running = worker.run(ending.signal);
  t.after(async () => {
    ending.abort();
    await running;
    await server.close();
  });

  const serialOf = (pem: string) => new X509Certificate(pem).serialNumber;
  const served = async (name?: string): Promise<string> => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false, ...(name && { servername: name }) });
    await once(socket, "secureConnect");
    const { serialNumber } = socket.getPeerCertificate();
    socket.destroy();
    return serialNumber;
  };
  const untilServed = (serial: string): Promise<void> =>
    until(async () => (await served()) === serial, "the certificate is served");
  assert.equal(await served(), serialOf(first.cert));
  assert.equal(await served("localhost"), serialOf(first.nameCert ?? ""), "for clients that name the host");
  assert.equal(await served("other.example"), serialOf(first.cert));

  daysLater = 380;
  const before = serialOf(first.cert);
  await until(async () => (await served()) !== before, "the certificate is renewed");
  const renewed = await readFile(join(dataDir, "tls", "localhost.pem"), "utf8");
  const pem = renewed.slice(renewed.indexOf("-----BEGIN CERT"));
  assert.equal(await served(), serialOf(pem), "what is served is what was stored");
  const namedPem = renewed.slice(renewed.lastIndexOf("-----BEGIN CERT"));
  assert.equal(await served("localhost"), serialOf(namedPem));

  // The operator's files change one after the other; in between they do not match, and the old certificate stays in use.
  const other = await mkdtemp(join(tmpdir(), "swarmbase-renewal-"));
  t.after(() => rm(other, { recursive: true, force: true }));
  const theirs = await loadTlsMaterial({ dataDir: other, certFile: null, keyFile: null, clock });
  const [certFile, keyFile] = [join(other, "cert.pem"), join(other, "key.pem")];
  await writeFile(certFile, theirs.cert);
  await writeFile(keyFile, first.key);
  notes.length = 0;
  files = { certFile, keyFile };
  for (; !notes.includes("tls.reload_failed"); await sleep(10)) await served();
  assert.equal(await served(), serialOf(pem));
  // Atomically: a truncated file would be another error.
  await writeFile(`${keyFile}.new`, theirs.key);
  await rename(`${keyFile}.new`, keyFile);
  await untilServed(serialOf(theirs.cert));
  assert.equal(notes.filter((name) => name === "tls.reload_failed").length, 1, "said once");
});

test("a certificate that was renewed before the server exists reaches it", async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "swarmbase-renewal-"));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  let daysLater = 0;
  const clock = { now: () => new Date(Date.now() + daysLater * DAY_MS) };
  const context = { settings: { ...loadSettings({}), dataDir }, clock, observer: silentObserver };
  const first = await loadCertificate(context);
  const certificate = openCertificate(context, first);
  daysLater = 380;
  await certificate.reload();
  const received: string[] = [];
  certificate.onCertificate(({ cert }) => received.push(cert));
  assert.notEqual(certificate.current()?.cert, first.cert);
  assert.deepEqual(received, [certificate.current()?.cert]);
});

test("a worker process applies a certificate that it received before its server exists", async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "swarmbase-renewal-"));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const material = await loadTlsMaterial({ dataDir, certFile: null, keyFile: null, clock: { now: () => new Date() } });
  const { methods, open } = connectPrimary();
  methods.setTls(material);
  const received: unknown[] = [];
  const primary = open({ node: "a", url: "https://localhost", port: 1 }, new RpcPeer(new PassThrough(), {}));
  primary.onCertificate((renewed) => received.push(renewed));
  assert.deepEqual(received, [material]);
});
