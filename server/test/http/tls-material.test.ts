import assert from "node:assert/strict";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { loadTlsMaterial, renewLocalCertificate, TlsError, type TlsMaterial } from "../../src/http/index.ts";

const DAY_MS = 86_400_000;
const start = new Date("2026-11-15T12:00:00Z");
const FILES = ["ca-cert.pem", "ca-key.pem", "localhost.pem"];

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-tls-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const load = (dataDir: string, now = start) =>
  loadTlsMaterial({ dataDir, certFile: null, keyFile: null, clock: { now: () => now } });

const readAll = (dataDir: string) =>
  Promise.all(FILES.map((file) => readFile(join(dataDir, "tls", file), "utf8").catch(() => "")));

async function readAuthority(material: TlsMaterial): Promise<X509Certificate> {
  assert.ok(material.caFile);
  return new X509Certificate(await readFile(material.caFile));
}

async function assertServable(material: TlsMaterial, now = start): Promise<void> {
  const authority = await readAuthority(material);
  const leaf = new X509Certificate(material.cert);
  assert.ok(leaf.verify(authority.publicKey));
  assert.ok(leaf.checkIssued(authority));
  assert.ok(leaf.validFromDate <= now && leaf.validToDate > now);
}

test("the first start creates an authority and a leaf, later starts keep them", async (t) => {
  const dataDir = await makeFolder(t);
  const first = await load(dataDir);
  assert.equal(first.caFile, join(dataDir, "tls", "ca-cert.pem"));
  await assertServable(first);
  assert.deepEqual(await load(dataDir), first);

  const authority = await readAuthority(first);
  assert.ok(authority.ca);
  const leaf = new X509Certificate(first.cert);
  assert.ok(!leaf.ca);
  assert.deepEqual(leaf.keyUsage, ["1.3.6.1.5.5.7.3.1"]);
  assert.equal(leaf.subjectAltName, "DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1");
  const named = new X509Certificate(first.nameCert ?? "");
  assert.equal(named.subjectAltName, "DNS:localhost");
  assert.ok(named.verify(authority.publicKey) && named.checkPrivateKey(createPrivateKey(first.key)));
  assert.deepEqual(named.validToDate, leaf.validToDate);
  const lifeDays = (leaf.validToDate.getTime() - leaf.validFromDate.getTime()) / DAY_MS;
  assert.ok(lifeDays <= 397, String(lifeDays));
});

test("only the owner can read the keys, and no temporary file is left", async (t) => {
  const dataDir = await makeFolder(t);
  await load(dataDir);
  const modeOf = async (...path: string[]) => ((await stat(join(dataDir, "tls", ...path))).mode & 0o777).toString(8);
  assert.equal(await modeOf(), "700");
  assert.equal(await modeOf("ca-key.pem"), "600");
  assert.equal(await modeOf("localhost.pem"), "600");
  assert.deepEqual((await readdir(join(dataDir, "tls"))).sort(), FILES);
});

test("the leaf is renewed before it expires, under the same authority", async (t) => {
  const dataDir = await makeFolder(t);
  const first = await load(dataDir);
  const authority = await readAuthority(first);
  assert.equal((await load(dataDir, new Date(start.getTime() + 300 * DAY_MS))).cert, first.cert);

  const later = new Date(start.getTime() + 380 * DAY_MS);
  const renewed = await load(dataDir, later);
  assert.notEqual(renewed.cert, first.cert);
  await assertServable(renewed, later);
  assert.equal((await readAuthority(renewed)).fingerprint256, authority.fingerprint256);
});

test("an authority that is about to expire is kept, and its last leaf expires with it", async (t) => {
  const dataDir = await makeFolder(t);
  const first = await readAuthority(await load(dataDir));
  const later = new Date(start.getTime() + 3400 * DAY_MS);
  const second = await load(dataDir, later);
  await assertServable(second, later);
  assert.equal((await readAuthority(second)).fingerprint256, first.fingerprint256);
  assert.deepEqual(new X509Certificate(second.cert).validToDate, first.validToDate);
  const lastDay = new Date(first.validToDate.getTime() - DAY_MS);
  assert.deepEqual(await load(dataDir, lastDay), second, "it is not made again every minute");
});

test("a clock outside the authority's validity stops the start and replaces nothing", async (t) => {
  const dataDir = await makeFolder(t);
  const first = await load(dataDir);
  const before = await readAll(dataDir);
  const cases: [days: number, expected: RegExp][] = [
    [-4000, /clock \(2015-12-03T12:00:00\.000Z\).* is not valid yet: .*ca-cert\.pem is valid from 2026-11-13T/],
    [4000, /clock \(2037-10-28T12:00:00\.000Z\).* has expired: .* to 2036-11-10T/],
  ];
  for (const [days, expected] of cases) {
    await assert.rejects(load(dataDir, new Date(start.getTime() + days * DAY_MS)), (error) => {
      assert.ok(error instanceof TlsError);
      assert.match(error.message, expected);
      assert.match(error.message, /swarmbase certificate renew --new-authority/);
      return true;
    });
    assert.deepEqual(await readAll(dataDir), before);
  }
  assert.deepEqual(await load(dataDir), first, "with the right clock all is as it was");
});

test("a wrong clock within the authority's validity renews only the leaf", async (t) => {
  const dataDir = await makeFolder(t);
  const authority = await readAuthority(await load(dataDir));
  for (const days of [500, -1, 0, 1, 2000]) {
    const now = new Date(start.getTime() + days * DAY_MS);
    const material = await load(dataDir, now);
    await assertServable(material, now);
    assert.equal((await readAuthority(material)).fingerprint256, authority.fingerprint256);
  }
});

test("renewing creates a leaf, and an authority only on request", async (t) => {
  const dataDir = await makeFolder(t);
  const first = await load(dataDir);
  const authority = await readAuthority(first);
  const { caFile } = await renewLocalCertificate({ dataDir, now: start, hasNewAuthority: false });
  assert.equal(caFile, first.caFile);
  const renewed = await load(dataDir);
  assert.notEqual(renewed.cert, first.cert);
  assert.equal((await readAuthority(renewed)).fingerprint256, authority.fingerprint256);

  const later = new Date(start.getTime() + 4000 * DAY_MS);
  await assert.rejects(renewLocalCertificate({ dataDir, now: later, hasNewAuthority: false }), /has expired/);
  await renewLocalCertificate({ dataDir, now: later, hasNewAuthority: true });
  const replaced = await load(dataDir, later);
  await assertServable(replaced, later);
  assert.notEqual((await readAuthority(replaced)).fingerprint256, authority.fingerprint256);
});

test("a leaf of an earlier release, without a certificate for the name, is renewed if the authority can sign", async (t) => {
  const dataDir = await makeFolder(t);
  const [file, keyFile] = ["localhost.pem", "ca-key.pem"].map((name) => join(dataDir, "tls", name)) as [string, string];
  const first = await load(dataDir);
  await writeFile(file, first.key + first.cert);
  const authorityKey = await readFile(keyFile, "utf8");
  await rm(keyFile);
  assert.deepEqual(await load(dataDir), { ...first, nameCert: null });
  await writeFile(keyFile, authorityKey);
  const renewed = await load(dataDir);
  assert.notEqual(renewed.cert, first.cert);
  assert.equal(new X509Certificate(renewed.nameCert ?? "").subjectAltName, "DNS:localhost");
  assert.deepEqual(await load(dataDir), renewed);
});

test("a damaged or missing leaf is created again under the same authority", async (t) => {
  const dataDir = await makeFolder(t);
  const authority = await readAuthority(await load(dataDir));
  const file = join(dataDir, "tls", "localhost.pem");
  const damages = [() => rm(file), () => writeFile(file, ""), () => writeFile(file, "nonsense")];
  for (const damage of damages) {
    await damage();
    const repaired = await load(dataDir);
    await assertServable(repaired);
    assert.equal((await readAuthority(repaired)).fingerprint256, authority.fingerprint256);
  }
});

test("a leaf is still served when only the authority's key is lost", async (t) => {
  const dataDir = await makeFolder(t);
  const first = await load(dataDir);
  await rm(join(dataDir, "tls", "ca-key.pem"));
  assert.deepEqual(await load(dataDir), first);
});

test("after a kill or damage in any state, a start serves or names the command to run, and keeps the authority", async (t) => {
  const parts = await Promise.all(
    [await makeFolder(t), await makeFolder(t)].map(async (dataDir) => {
      await load(dataDir);
      return Promise.all(FILES.map((file) => readFile(join(dataDir, "tls", file), "utf8")));
    }),
  );
  // Each file can be missing, truncated, or of another generation, and a temporary file can exist.
  const state = fc.record({
    generation: fc.constantFrom(0, 1),
    keep: fc.constantFrom("all", "none", "part"),
    leftover: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.tuple(state, state, state), async (states) => {
      const dataDir = await mkdtemp(join(tmpdir(), "swarmbase-tls-"));
      try {
        await load(dataDir);
        for (const [index, { generation, keep, leftover }] of states.entries()) {
          const file = join(dataDir, "tls", FILES[index] ?? "");
          const text = parts[generation]?.[index] ?? "";
          if (leftover) await writeFile(`${file}.tmp`, text.slice(0, 50));
          if (keep === "none") await rm(file);
          else await writeFile(file, keep === "all" ? text : text.slice(0, text.length / 2));
        }
        const [authority = ""] = await readAll(dataDir);
        const repaired = await load(dataDir).catch(async (error: unknown) => {
          assert.ok(error instanceof TlsError && error.message.includes("certificate renew --new-authority"));
          await renewLocalCertificate({ dataDir, now: start, hasNewAuthority: true });
          return null;
        });
        if (repaired !== null && authority !== "") assert.equal((await readAll(dataDir))[0], authority);
        const served = repaired ?? (await load(dataDir));
        await assertServable(served);
        assert.deepEqual(await load(dataDir), served);
      } finally {
        await rm(dataDir, { recursive: true });
      }
    }),
    { numRuns: 40 },
  );
});

test("an unusable folder is named in the error", async (t) => {
  const dataDir = await makeFolder(t);
  await writeFile(join(dataDir, "tls"), "a file in the way");
  await assert.rejects(
    load(dataDir),
    (error) => error instanceof TlsError && error.message.includes(join(dataDir, "tls")),
  );
});

test("the operator's files are used unchanged or rejected with a reason", async (t) => {
  const dataDir = await makeFolder(t);
  const [mine, other] = [await load(await makeFolder(t)), await load(await makeFolder(t))];
  const write = async (name: string, content: string) => {
    const file = join(dataDir, name);
    await writeFile(file, content);
    return file;
  };
  const certFile = await write("cert.pem", mine.cert);
  const keyFile = await write("key.pem", mine.key);
  const loadOwn = (changes: Partial<Parameters<typeof loadTlsMaterial>[0]>) =>
    loadTlsMaterial({ dataDir, certFile, keyFile, clock: { now: () => start }, ...changes });

  assert.deepEqual(await loadOwn({}), { cert: mine.cert, key: mine.key, nameCert: null, caFile: null });
  assert.deepEqual((await readdir(dataDir)).sort(), ["cert.pem", "key.pem"]);

  const at = (days: number) => ({ now: () => new Date(start.getTime() + days * DAY_MS) });
  const encrypted = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n";
  const rejections: [RegExp, Partial<Parameters<typeof loadTlsMaterial>[0]>][] = [
    [/TLS_CERT_FILE: cannot read .*absent\.pem: no such file/, { certFile: join(dataDir, "absent.pem") }],
    [/TLS_KEY_FILE: cannot read .*: it is a folder/, { keyFile: dataDir }],
    [/TLS_CERT_FILE .* does not begin with a certificate/, { certFile: await write("bad.pem", "nonsense") }],
    [/TLS_KEY_FILE .* is not a private key/, { keyFile: await write("bad-key.pem", "nonsense") }],
    [/TLS_KEY_FILE .* is encrypted/, { keyFile: await write("encrypted.pem", encrypted) }],
    [/TLS_KEY_FILE .* does not belong to/, { keyFile: await write("other.pem", other.key) }],
    [/TLS_CERT_FILE .* expired on 2027-/, { clock: at(400) }],
    [/TLS_CERT_FILE .* is not valid before 2026-/, { clock: at(-3) }],
    [/TLS_KEY_FILE is set, but TLS_CERT_FILE is not/, { certFile: null }],
    [/TLS_CERT_FILE is set, but TLS_KEY_FILE is not/, { keyFile: null }],
  ];
  for (const [message, changes] of rejections) {
    await assert.rejects(
      loadOwn(changes),
      (error) => error instanceof TlsError && message.test(error.message),
      String(message),
    );
  }
});
