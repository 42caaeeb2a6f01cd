import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { changeTrust, type TrustChange } from "../../src/commands/trust/change-trust.ts";
import { planTrust } from "../../src/commands/trust/plan-trust.ts";
import { readMachine } from "../../src/commands/trust/read-machine.ts";
import { loadTlsMaterial, readLocalAuthority, type TlsMaterial } from "../../src/http/index.ts";
import { systemClock } from "../../src/time/index.ts";
import { createTestAuthority } from "../support/certificates.ts";
import { runHere } from "../support/run-here.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

// The store of this machine is never changed: the folders of the system are below a temporary one, and programs are recorded.

const DEBIAN = "/usr/local/share/ca-certificates";

/** A machine below a temporary folder with spaces and umlauts, whose programs write what they are called with. */
async function createMachine(t: TestContext) {
  const folder = join(await createTemporaryFolder(t, "swarmbase-trust-"), "mein Rechner ä");
  const [bin, home, root, log] = [join(folder, "bin"), join(folder, "home"), join(folder, "root"), join(folder, "log")];
  const database = join(home, ".pki/nssdb");
  for (const path of [bin, database, join(root, DEBIAN)]) await mkdir(path, { recursive: true });
  await writeFile(join(database, "cert9.db"), "");
  const addProgram = async (name: string, script: string): Promise<void> => {
    await writeFile(join(bin, name), `#!/bin/sh\nprintf '%s|' ${name} "$@" >> '${log}'\necho >> '${log}'\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  };
  // What certutil knows is a file beside the database.
  const nickname = `"\${3#sql:}/known"`;
  const certutil = `case "$1" in -A) touch ${nickname};; -L) test -e ${nickname};; -D) rm ${nickname};; esac`;
  await addProgram("certutil", certutil);
  await addProgram("update-ca-certificates", "");
  const material = await loadTlsMaterial({ dataDir: folder, certFile: null, keyFile: null, clock: systemClock });
  const found = await readLocalAuthority(folder);
  assert.ok(found);
  const authority = { ...found, sha1: found.certificate.fingerprint.replaceAll(":", "") };
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: home };
  return {
    folder,
    bin,
    root,
    database,
    material,
    authority,
    addProgram,
    env,
    stored: join(root, DEBIAN, `${found.name.toLowerCase().replaceAll(" ", "-")}.crt`),
    calls: async () => (await readFile(log, "utf8").catch(() => "")).split("\n").filter((line) => line !== ""),
    run: async (change: Partial<TrustChange> = {}, { input = "", isTTY = false, isRoot = true, stop = false } = {}) => {
      let output = "";
      const stdin = stop ? new PassThrough() : Readable.from(input === "" ? [] : [input]);
      const terminal = { isTTY, write: (text: string) => (output += text) } as unknown as NodeJS.WritableStream;
      const ending = new AbortController();
      const running = changeTrust(
        { action: "trust", authority, machine: { ...readMachine(env, root), isRoot }, isConfirmed: false, ...change },
        { env, stdin: Object.assign(stdin, { isTTY }), stdout: terminal, stderr: terminal, signal: ending.signal },
      );
      if (stop) ending.abort();
      return { code: await running, output };
    },
  };
}

test("trust shows the commands and runs them, untrust removes what it finds", async (t) => {
  const { run, calls, authority, stored, database } = await createMachine(t);
  const { code, output } = await run({ isConfirmed: true });
  assert.equal(code, 0, output);
  assert.match(
    output,
    /^Swarmbase local authority [\da-f]{8} in .*\nsigns certificates for localhost and loopback addresses only\./,
  );
  assert.match(output, / {4}install -m 644 '.*mein Rechner ä\/tls\/ca-cert\.pem' '.*'\n {4}update-ca-certificates\n/);
  assert.match(output, /done: the store of the system trusts the authority now\n.*done: Chrome and Chromium, /);
  assert.match(output, /^ {2}export NODE_EXTRA_CA_CERTS='.*ca-cert\.pem'\n.*\n {2}export NODE_USE_SYSTEM_CA=1\n/m);
  assert.doesNotMatch(output, /No store of a browser/);
  assert.equal(await readFile(stored, "utf8"), await readFile(authority.file, "utf8"));
  const { name, file } = authority;
  assert.deepEqual(await calls(), [
    "update-ca-certificates|",
    `certutil|-A|-d|sql:${database}|-n|${name}|-t|C,,|-i|${file}|`,
  ]);
  const removed = await run({ action: "untrust", isConfirmed: true });
  assert.equal(removed.code, 0, removed.output);
  assert.doesNotMatch(removed.output, /NODE_/);
  assert.equal(existsSync(stored), false);
  assert.deepEqual((await calls()).slice(2), [
    `certutil|-L|-d|sql:${database}|-n|${name}|`,
    "update-ca-certificates|--fresh|",
    `certutil|-D|-d|sql:${database}|-n|${name}|`,
  ]);
  const again = await run({ action: "untrust", isConfirmed: true });
  assert.equal(again.code, 0);
  assert.match(again.output, /No store was found that would have to be changed/);
});

test("an ordinary account changes its browsers, and gets the commands for root printed", async (t) => {
  const { run, calls, stored } = await createMachine(t);
  const { code, output } = await run({ isConfirmed: true }, { isRoot: false });
  assert.equal(code, 0, output);
  assert.match(
    output,
    /Left to you:\n {2}the store of the system \(only root can change it\)\n {4}sudo install .*\n {4}sudo update-ca-certificates\n/,
  );
  assert.equal(existsSync(stored), false);
  assert.equal((await calls()).length, 1);
});

test("nothing is changed unless somebody agrees", async (t) => {
  const { run, calls } = await createMachine(t);
  const answers: [title: string, { input?: string; isTTY?: boolean; stop?: boolean }][] = [
    ["without a terminal", { input: "yes\n" }],
    ["no", { input: "n\n", isTTY: true }],
    ["an empty line", { input: "\n", isTTY: true }],
    ["something else", { input: "yesno\n", isTTY: true }],
    ["the end of the input", { isTTY: true }],
    ["Ctrl-C", { isTTY: true, stop: true }],
  ];
  for (const [title, answer] of answers) {
    const { code, output } = await run({}, answer);
    assert.equal(code, 1, title);
    assert.match(
      output,
      /certutil -A .*Nothing was changed\. To change it without a question: npm run swarmbase -- certificate trust --yes\n$/s,
    );
    assert.deepEqual(await calls(), [], title);
  }
  for (const input of ["y\n", "Yes\n"]) assert.equal((await run({}, { input, isTTY: true })).code, 0);
});

test("a store that cannot be changed is reported, and the others are changed", async (t) => {
  const { run, addProgram, database, bin, root, env, authority } = await createMachine(t);
  await addProgram("update-ca-certificates", "echo 'mv: Read-only \u001b[31mfile system' >&2; exit 1");
  const { code, output } = await run({ isConfirmed: true });
  assert.equal(code, 1);
  assert.match(output, /failed: the store of the system: update-ca-certificates: mv: Read-only {2}\[31mfile system\n/);
  assert.ok(existsSync(join(database, "known")));
  await chmod(join(bin, "certutil"), 0o644);
  const missing = await run({ isConfirmed: true });
  assert.match(
    missing.output,
    /Left to you:\n {2}Chrome and Chromium, .* \(certutil is missing; .*\)\n {4}certutil -A /,
  );
  const machine = { ...readMachine({ ...env, HOME: root }, root), isRoot: true, platform: "linux" as const };
  assert.match((await run({ machine })).output, /No store of a browser was found: start the browser once/);
  for (const HOME of ["", "relative"]) {
    const machine = { ...readMachine({ ...env, HOME }, root), isRoot: true };
    assert.match((await run({ machine })).output, /There is no home directory \(HOME\)/);
    assert.equal(planTrust("trust", authority, machine).length, 1);
  }
  assert.equal(readMachine({ PATH: "bin:.:" }, root).find("certutil"), null, "only absolute folders of PATH count");
});

test("only an authority that Swarmbase created is trusted", async (t) => {
  const { folder, authority, material } = await createMachine(t);
  const env = { DATA_DIR: folder };
  const shown = await runHere(["certificate", "trust"], env);
  assert.match(shown.stdout, new RegExp(`^${authority.name} in `), "and only shown without a terminal");
  const own = await readFile(authority.file, "utf8");
  const other = await createTemporaryFolder(t, "swarmbase-trust-");
  const foreign = createTestAuthority(authority.name).cert;
  const forged = Buffer.from(authority.certificate.raw);
  const constraint = forged.indexOf("localhost");
  forged.write("localhosz", constraint);
  const armoured = `-----BEGIN CERTIFICATE-----\n${forged.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
  new X509Certificate(armoured);
  for (const text of [foreign, own + foreign, `${own}\n`, material.cert, armoured, "damaged"]) {
    await writeFile(authority.file, text);
    const { code, stdout, stderr } = await runHere(["certificate", "trust"], env);
    assert.deepEqual([code, stdout], [1, ""], text);
    assert.match(
      stderr,
      /ca-cert\.pem is not the certificate of an authority that Swarmbase created\. Nothing was changed\.\n$/,
    );
  }
  const absent = join(other, "data");
  for (const [args, more, code, expected] of [
    [["trust"], { DATA_DIR: absent }, 1, /has not been started with the data directory/],
    [["untrust"], { TLS_CERT_FILE: "/x", TLS_KEY_FILE: "/y" }, 1, /TLS_CERT_FILE is set/],
    [["trust"], { TLS_MODE: "proxy", TRUSTED_PROXIES: "10.0.0.1" }, 1, /TLS_MODE is proxy/],
    [["trust", "--new-authority"], {}, 2, /certificate trust has no option --new-authority/],
    [["renew", "--yes"], {}, 2, /certificate renew has no option --yes/],
    [["trust", "all"], {}, 2, /all/],
  ] as const) {
    const rejected = await runHere(["certificate", ...args], { ...env, ...more });
    assert.equal(rejected.code, code, rejected.stderr);
    assert.match(rejected.stderr, expected);
  }
  assert.equal(existsSync(absent), false);
});

test("Node.js and curl trust the service by the store that update-ca-certificates writes", async (t) => {
  const tool = "/usr/sbin/update-ca-certificates";
  if (!existsSync(tool)) return t.skip("there is no update-ca-certificates");
  const { run, folder, addProgram, root, material, stored } = await createMachine(t);
  const certs = join(await createTemporaryFolder(t, "swarmbase-certs-"), "certs");
  await mkdir(certs);
  await writeFile(join(folder, "conf"), "# none\n");
  for (const name of ["one", "two"]) await writeFile(join(root, DEBIAN, `${name}.crt`), createTestAuthority(name).cert);
  const options = [
    ["etccertsdir", certs],
    ["localcertsdir", join(root, DEBIAN)],
    ["certsconf", join(folder, "conf")],
    ["hooksdir", join(folder, "none")],
  ];
  await addProgram(
    "update-ca-certificates",
    `exec ${tool} ${options.map(([name, path]) => `--${name} '${path}'`).join(" ")} "$@"`,
  );
  const url = await serve(t, material);
  const node = () =>
    promisify(execFile)(
      process.execPath,
      ["--eval", `fetch(${JSON.stringify(url)}).then((answer) => answer.text()).then(console.log)`],
      {
        env: { NODE_USE_SYSTEM_CA: "1", SSL_CERT_DIR: certs, SSL_CERT_FILE: join(certs, "none") },
      },
    );
  const curl = () =>
    promisify(execFile)("curl", ["--silent", "--show-error", "--cacert", join(certs, "ca-certificates.crt"), url]);
  await assert.rejects(node(), /UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED/);
  const trusted = await run({ isConfirmed: true });
  assert.equal(trusted.code, 0, trusted.output);
  assert.equal((await node()).stdout, "trusted\n");
  assert.equal((await curl()).stdout, "trusted");
  assert.equal((await run({ action: "untrust", isConfirmed: true })).code, 0);
  assert.equal(existsSync(stored), false);
  await assert.rejects(node(), /UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED/);
  assert.deepEqual(
    (await readdir(certs)).filter((name) => name.includes("swarmbase")),
    [],
  );
});

async function serve(t: TestContext, { cert, key }: TlsMaterial): Promise<string> {
  const server = createServer({ cert, key }, (_request, response) => response.end("trusted"));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.closeAllConnections());
  t.after(() => new Promise((resolve) => void server.close(resolve)));
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
