import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Finding } from "../../src/commands/doctor/finding.ts";
import { makeAuthority, makeLeaf } from "../../src/http/server/tls/certificate.ts";
import { closeAfter } from "../app/program.ts";
import { createTestDatabase } from "../support/database.ts";
import { runHere } from "../support/run-here.ts";
import { startServiceHere } from "../support/service-here.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import {
  answers,
  assertFound,
  AUTHORITY,
  check,
  daysFromNow,
  HEALTHY,
  LEAF,
  listen,
  SELF_SIGNED,
  serve,
  STRANGER,
  VALID,
} from "./support/deployments.ts";

describe("doctor --url on a service", () => {
  it("finds what is public, and names what is wrong from outside", async (t) => {
    const cleanup = { after: (close: () => unknown) => closeAfter(t, async () => close()) };
    const database = await createTestDatabase(cleanup);
    const dataDir = await createTemporaryFolder(cleanup, "swarmbase-doctor-url-");
    const env = { DATABASE_URL: database.adminUrl, MASTER_KEY: database.masterKey, LIMIT_API: "100" };
    const { credentials } = await startServiceHere(cleanup, { dataDir, env });
    const ca = ["--ca", credentials.ca_cert_file ?? ""];
    // The settings of this environment are invalid, and of no interest.
    const run = async (url: string, ...more: readonly string[]) =>
      runHere(["doctor", "--url", url, ...more, "--json"], { PORT: "x", ANON_KEY: credentials.anon_key });

    const good = await run(`${credentials.url}/`, ...ca);
    assert.equal(good.code, 0, good.stdout + good.stderr);
    assertFound((JSON.parse(good.stdout) as { findings: Finding[] }).findings, [
      ["certificate", "ok", /^valid until /],
      ["health", "ok", /^Swarmbase \d+\.\d+\.\d+ answers$/],
      ["clock", "ok", /agrees/],
      ["ready", "ok", /writes/],
      ["public url", "ok", /this address/],
      ["limits", "ok", /^100 requests per minute/],
      ["mail", "warning", /confirmed without a mail/],
      ["operator", "ok", /OPERATOR_ACCESS_TOKEN is not set/],
    ]);

    const other = await run(credentials.url.replace("localhost", "127.0.0.1"), ...ca);
    assert.equal(other.code, 1);
    assertFound((JSON.parse(other.stdout) as { findings: Finding[] }).findings, [
      ["public url", "fault", /names https:\/\/localhost:\d+\/auth\/v1 .* not https:\/\/127\.0\.0\.1:/],
    ]);

    const unknown = await run(credentials.url);
    assert.equal(unknown.code, 1);
    assertFound((JSON.parse(unknown.stdout) as { findings: Finding[] }).findings, [
      ["certificate", "fault", /authority that is not known here, or its chain is incomplete/],
    ]);
  });

  it("rejects an address that cannot be one, and a file without certificates", async (t) => {
    for (const url of ["", "localhost", "http://localhost", "https://", "https://a:b@localhost", "https://x/?a=1"]) {
      const { code, stderr } = await runHere(["doctor", "--url", url]);
      assert.equal(code, 2, url);
      assert.match(stderr, /--url must be an https:\/\/ address/);
    }
    assert.match((await runHere(["doctor", "--ca", "ca.pem"])).stderr, /^--ca needs --url\./);
    const missing = await runHere(["doctor", "--url", "https://localhost:1", "--ca", "/nowhere/ca.pem"]);
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /ENOENT/);
    const file = join(await createTemporaryFolder(t, "swarmbase-doctor-ca-"), "ca.pem");
    await writeFile(file, "no certificate");
    const { code } = await runHere(["doctor", "--url", "https://localhost:1", "--ca", file]);
    assert.equal(code, 1);
  });
});

describe("doctor --url on what is no connection", () => {
  it("says that nothing listens", async (t) => {
    const server = createServer();
    const port = await listen(t, server);
    server.close();
    await once(server, "close");
    assertFound(await check(`https://localhost:${port}`), [["tls", "fault", /refused/]]);
  });

  it("says that the name does not exist", async () => {
    assertFound(await check("https://nothing.invalid"), [["tls", "fault", /could not be resolved/]]);
  });

  it("says that there is no TLS", async (t) => {
    const port = await listen(
      t,
      createServer((socket) => void socket.end("HTTP/1.1 200 OK\r\n\r\n")),
    );
    assertFound(await check(`https://localhost:${port}`), [["tls", "fault", /TLS handshake failed/]]);
  });

  it("does not wait for a server that never answers, before and after the handshake", async (t) => {
    const port = await listen(t, createServer());
    const more = { timeoutMs: 300 };
    assertFound(await check(`https://localhost:${port}`, more), [["tls", "fault", /Nothing .* within 0\.3 seconds/]]);
    // Longer than a handshake takes on a busy machine.
    const url = await serve(t, () => {});
    const silent = await check(url, { timeoutMs: 3_000 });
    assertFound(silent, [["health", "fault", /Nothing complete came within 3 seconds/]]);
  });

  it("ends with the program", async (t) => {
    const port = await listen(t, createServer());
    const stop = new AbortController();
    const checking = check(`https://localhost:${port}`, { signal: stop.signal });
    stop.abort(new Error("stopped"));
    await assert.rejects(checking, /stopped/);
  });
});

describe("doctor --url on certificates", () => {
  const expired = daysFromNow(-20, -10);
  const soon = daysFromNow(-20, 5);
  const cases = [
    ["expired", makeLeaf(AUTHORITY, expired), "localhost", /has expired \(CERT_HAS_EXPIRED\)/],
    ["not valid yet", makeLeaf(AUTHORITY, daysFromNow(5, 10)), "localhost", /is not valid yet/],
    ["of an authority that it sends itself", STRANGER, "localhost", /\(SELF_SIGNED_CERT_IN_CHAIN\)/],
    ["self-signed", SELF_SIGNED, "localhost", /is signed by itself/],
    ["of an unknown authority", makeLeaf(makeAuthority(VALID), VALID), "localhost", /not known here/],
    ["for another name", { ...LEAF, cert: LEAF.nameCert }, "127.0.0.1", /another name .* it is for DNS:localhost/],
  ] as const;
  for (const [name, credential, host, what] of cases) {
    it(`reports one that is ${name}, and sends nothing`, async (t) => {
      let requests = 0;
      const url = await serve(t, (_request, response) => void ((requests += 1), response.end()), credential);
      const all = await check(url.replace("localhost", host), { operatorToken: "secret" });
      assertFound(all, [["certificate", "fault", what]]);
      assert.deepEqual([all.length, requests], [1, 0]);
    });
  }

  it("warns of one that expires soon", async (t) => {
    const url = await serve(t, answers(HEALTHY), makeLeaf(AUTHORITY, soon));
    assertFound(await check(url), [["certificate", "warning", /expires in [45] days/]]);
  });
});
