import assert from "node:assert/strict";
import { once } from "node:events";
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import pg from "pg";
import type { StoredKeys } from "../../src/agents/index.ts";
import { checkDatabase } from "../../src/commands/doctor/check-database.ts";
import { judgeDisk } from "../../src/commands/doctor/check-data-directory.ts";
import { checkProviders } from "../../src/commands/doctor/check-surroundings.ts";
import { collectFindings, type Finding } from "../../src/commands/doctor/finding.ts";
import { loadSettings } from "../../src/config/index.ts";
import { derivePassword } from "../../src/crypto/index.ts";
import { makeAuthority, makeLeaf } from "../../src/http/server/tls/certificate.ts";
import { closeAfter, makeDataDir, makeUsedDataDir, type RunOptions, runProgram } from "../app/program.ts";
import { PROTOCOLS } from "../support/providers/protocols.ts";
import { type CommandResult, runHere } from "../support/run-here.ts";
import { startServiceHere } from "../support/service-here.ts";
import { SEVERAL_STARTS } from "../support/wait-limit.ts";

const DAY_MS = 86_400_000;

/** As a program only where something is to run inside it. */
async function doctor(t: TestContext, args: string[], { env, ...options }: RunOptions): Promise<CommandResult> {
  if (options.preload === undefined) return runHere(args, env);
  const program = runProgram(t, args, { ...options, ...(env !== undefined && { env }) });
  const { code } = await program.exited;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

async function examine(t: TestContext, options: RunOptions): Promise<{ code: number | null; findings: Finding[] }> {
  const { code, stdout, stderr } = await doctor(t, ["doctor", "--json"], options);
  assert.equal(stderr, "");
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] };
  assert.equal(ok, code === 0);
  for (const finding of findings) {
    if (finding.level !== "ok") assert.ok(finding.why.length > 10 && finding.advice.length > 10, finding.what);
  }
  return { code, findings };
}

function assertFound(findings: readonly Finding[], wanted: readonly [string, Finding["level"], RegExp][]): void {
  for (const [check, level, what] of wanted) {
    const isFound = findings.some((f) => f.check === check && f.level === level && what.test(f.what));
    assert.ok(isFound, `${level} of ${check}, ${what}, in:\n${JSON.stringify(findings, null, 1)}`);
  }
}

test("doctor on a running instance: without problems, then with deliberate faults", SEVERAL_STARTS, async (t) => {
  const dataDir = await makeUsedDataDir(t);
  const home = dirname(dataDir);
  const env = { DATA_DIR: dataDir };
  const service = await startServiceHere({ after: (close) => closeAfter(t, close) }, { dataDir });
  const masterKey = (await readFile(join(dataDir, "master.key"), "utf8")).trim();
  const { port } = new URL(service.credentials.database_url);
  const adminUrl = `postgresql://postgres:${derivePassword(masterKey, "postgres")}@127.0.0.1:${port}/swarmbase`;
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await t.test("nothing is wrong", async () => {
      const { code, findings } = await examine(t, { env });
      assert.equal(code, 0, JSON.stringify(findings));
      const checks = [
        "settings",
        "service",
        "certificate",
        "disk",
        "database",
        "clock",
        "roles",
        "migrations",
        "master key",
      ];
      for (const check of checks)
        assert.ok(
          findings.some((f) => f.check === check && f.level === "ok"),
          check,
        );
      const plain = runProgram(t, ["doctor"], { env });
      assert.deepEqual(await plain.exited, { code: 0, signal: null });
      assert.match(plain.stdout(), /^ok +settings/m);
    });

    await t.test("faults in the database", async () => {
      await admin.query(
        `alter role sb_user bypassrls; grant service_role to sb_user; alter role sb_replica noreplication;
         insert into private.migrations (name, hash, run_on) values ('9999_from_the_future.contract', '', now());
         select pg_create_physical_replication_slot('left_behind', true);
         insert into private.webhook_queue (delivery_id, webhook_id, event_seq, run_at)
         select gen_random_uuid(), gen_random_uuid(), 1, now() - interval '1 hour';
         with asleep as (
           insert into private.webhook_endpoint_queues (webhook_id, next_due_at)
           values (gen_random_uuid(), now() + interval '1 minute') returning webhook_id)
         insert into private.webhook_queue (delivery_id, webhook_id, event_seq, run_at)
         select gen_random_uuid(), webhook_id, 1, now() - interval '2 hours' from asleep`,
      );
      const { code, findings } = await examine(t, { env });
      assert.equal(code, 1);
      assertFound(findings, [
        ["roles", "fault", /sb_user passes all row-level rules/],
        ["roles", "fault", /sb_user may become service_role/],
        ["roles", "warning", /sb_replica may not replicate/],
        ["migrations", "fault", /does not know: 9999_from_the_future\.contract/],
        ["slots", "warning", /left_behind/],
        ["webhooks", "warning", /1 deliveries are due, the oldest for 3[56]\d\d seconds/],
      ]);
      await admin.query(
        `alter role sb_user nobypassrls; revoke service_role from sb_user; alter role sb_replica replication;
         delete from private.migrations where name = '9999_from_the_future.contract';
         select pg_drop_replication_slot('left_behind')`,
      );
    });

    await t.test("a newer release that has begun to replace this one", async () => {
      await admin.query(
        "insert into private.migrations (name, hash, run_on) values ('9998_from_the_future', '', now())",
      );
      const { findings } = await examine(t, { env });
      assertFound(findings, [["migrations", "warning", /does not know: 9998_from_the_future/]]);
      await admin.query("delete from private.migrations where name = '9998_from_the_future'");
    });

    await t.test("a database of another build", async () => {
      await admin.query("update private.migrations set hash = 'x' || hash where name like '0001%'");
      const { code, findings } = await examine(t, { env });
      assert.equal(code, 1);
      assertFound(findings, [["migrations", "fault", /Another build of Swarmbase made this database.*\(0001_/]]);
      await admin.query("update private.migrations set hash = substr(hash, 2) where name like '0001%'");
      await admin.query("delete from private.migrations where name = (select max(name) from private.migrations)");
    });

    await t.test("transactions that stay open, and migrations that wait", async () => {
      const idle = new pg.Client({ connectionString: adminUrl, application_name: "forgotten" });
      await idle.connect();
      await idle.query("begin; select 1");
      const client = new pg.Client({ connectionString: adminUrl });
      await client.connect();
      const findings = collectFindings();
      const clock = { now: () => new Date() };
      const options = {
        masterKey: "another key that is long enough to be one",
        clock,
        isEmbedded: true,
        needs: { connections: 1_000 },
      };
      await checkDatabase(client, { ...options, longTransactionSeconds: 0 }, findings);
      await idle.end();
      await client.end();
      assertFound(findings.all, [
        ["database", "warning", /opens up to 1000 connections, and the server permits \d+/],
        ["transactions", "warning", /open for \d+ seconds .*forgotten/],
        ["migrations", "warning", /1 migrations are pending: \d{4}_/],
        ["master key", "fault", /does not decrypt the keys/],
      ]);
    });

    await t.test("faults around it", async () => {
      const expired = await writeCertificate(join(home, "expired"), -1);
      const other = await writeCertificate(join(home, "other"), 300);
      await writeFile(join(home, "providers.json"), "{");
      await chmod(join(dataDir, "master.key"), 0o644);
      await chmod(dataDir, 0o755);
      const { code, findings } = await examine(t, {
        env: {
          ...env,
          TLS_CERT_FILE: other.certFile,
          TLS_KEY_FILE: expired.keyFile,
          REDIS_URL: "redis://127.0.0.1:1",
          SMTP_URL: "smtp://127.0.0.1:1",
          PROVIDERS_FILE: join(home, "providers.json"),
          MAXTER_KEY: "x",
        },
        preload:
          "const D = Date; globalThis.Date = class extends D { constructor(...a) { a.length ? super(...a) : super(D.now() + 3600000); } };",
      });
      assert.equal(code, 1);
      assertFound(findings, [
        ["settings", "warning", /MAXTER_KEY/],
        ["certificate", "fault", /does not belong to the first certificate/],
        ["directory", "fault", /others can list or change/],
        ["directory", "fault", /others can read .*master\.key/],
        ["clock", "fault", /3(600|59\d) seconds ahead of that of the database/],
        ["clock", "warning", /that of the file system/],
        ["redis", "fault", /does not respond/],
        ["mail", "fault", /cannot be used: .*ECONNREFUSED/],
        ["providers", "fault", /PROVIDERS_FILE/],
      ]);
    });
  } finally {
    await admin.end();
    await service.stop();
  }

  await t.test("at rest, and without its key", async () => {
    await chmod(dataDir, 0o711);
    await chmod(join(dataDir, "master.key"), 0o600);
    const { code, findings } = await examine(t, { env });
    assert.equal(code, 0, JSON.stringify(findings));
    assertFound(findings, [["database", "ok", /embedded/]]);

    const authority = join(dataDir, "tls", "ca-cert.pem");
    const kept = await readFile(authority);
    await writeFile(authority, makeAuthority(daysFromNow(-20, -10)).cert);
    assertFound((await examine(t, { env })).findings, [["certificate", "fault", /the local authority is not valid: /]]);
    await writeFile(authority, "damaged");
    assertFound((await examine(t, { env })).findings, [["certificate", "fault", /ca-cert\.pem is damaged/]]);
    await writeFile(authority, kept);

    await rename(join(dataDir, "master.key"), join(home, "lost.key"));
    assertFound((await examine(t, { env })).findings, [["master key", "fault", /master\.key is missing/]]);
  });
});

test("doctor finds faults before there is a database", async (t) => {
  const dataDir = await makeDataDir(t);
  const home = dirname(dataDir);
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const address = taken.address();
  assert.ok(address !== null && typeof address === "object");
  const expired = await writeCertificate(join(home, "expired"), -1);
  const old = await writeCertificate(join(home, "old"), 5);
  await mkdir(join(home, "older", "postgres", "cluster"), { recursive: true });
  await chmod(join(home, "older"), 0o711);
  const record = { home: join(home, "older", "postgres"), dataDir: join(home, "older"), isInitialised: true, port: 0 };
  await writeFile(join(home, "older", "postgres.json"), JSON.stringify(record), { mode: 0o600 });
  await writeFile(join(home, "older", "postgres", "cluster", "PG_VERSION"), "16\n");
  try {
    const cases: [Record<string, string>, [string, Finding["level"], RegExp][]][] = [
      [
        { PORT: "many", AUTH_OTP_LENGTH: "3" },
        [
          ["settings", "fault", /PORT/],
          ["settings", "fault", /AUTH_OTP_LENGTH/],
        ],
      ],
      [
        { PORT: String(address.port), TLS_CERT_FILE: expired.certFile, TLS_KEY_FILE: expired.keyFile },
        [
          ["port", "fault", /is in use/],
          ["certificate", "fault", /expired on/],
          ["certificate", "warning", /chain ends/],
        ],
      ],
      [
        { TLS_CERT_FILE: old.certFile, TLS_KEY_FILE: old.keyFile, PUBLIC_URL: "https://swarm.example.com" },
        [
          ["certificate", "warning", /expires in 4 days/],
          ["certificate", "fault", /not for swarm\.example\.com/],
        ],
      ],
      [
        { DATA_DIR: join(home, "older") },
        [["database", "fault", /created by PostgreSQL 16, and this release runs 18/]],
      ],
      [
        {
          DATABASE_URL: "postgresql://u:hidden-word@127.0.0.1:1/x",
          MASTER_KEY: "m".repeat(40),
          NODE_ENV: "production",
        },
        [
          ["database", "fault", /cannot be reached: .*ECONNREFUSED/],
          ["mail", "warning", /no mail server/],
        ],
      ],
    ];
    for (const [env, wanted] of cases) {
      const { code, findings } = await examine(t, { env: { DATA_DIR: dataDir, ...env } });
      assert.equal(code, 1);
      assertFound(findings, wanted);
      assert.doesNotMatch(JSON.stringify(findings), /hidden-word/);
    }
  } finally {
    taken.close();
  }
});

test("doctor checks providers as the service resolves them", () => {
  const cases: [Record<string, string>, Finding["level"], RegExp, protocols?: typeof PROTOCOLS, stored?: StoredKeys][] =
    [
      [{}, "ok", /^provider_b \(anthropic\)$/, PROTOCOLS, { provider_b: "wrapped" }],
      [{ OPENAI_API_KEY: "sk-live-0123" }, "ok", /^provider_a \(openai\)$/],
      [{}, "warning", /so agents are simulated/],
      [{ NODE_ENV: "production" }, "warning", /^no model provider has a key$/],
      [{ PROVIDER_A_KIND: "simulated" }, "ok", /provider_a \(simulated\)/],
      [{ PROVIDER_B_API_KEY: "sk-live-0123" }, "ok", /^provider_b \(anthropic\)$/],
      [{ PROVIDER_A_KIND: "simulated", NODE_ENV: "production" }, "fault", /ALLOW_SIMULATED=1/],
      [
        { PROVIDER_B_API_KEY: "sk-live-0123" },
        "fault",
        /^EXTENSIONS names no extension .* anthropic, .* provider_b/,
        [],
      ],
    ];
  for (const [env, level, what, protocols = PROTOCOLS, stored = {}] of cases) {
    const findings = collectFindings();
    checkProviders(loadSettings(env), { env, protocols, stored }, findings);
    assert.deepEqual([findings.all.length, findings.all[0]?.level], [1, level], JSON.stringify(env));
    assert.match(findings.all[0]?.what ?? "", what);
    if (!("NODE_ENV" in env)) assert.doesNotMatch(JSON.stringify(findings.all), /none of them can answer|sk-live/);
  }
});

test("doctor checks the free space of the disk", () => {
  const gigabyte = 1e9;
  const cases: [number, number, Finding["level"]][] = [
    [100 * gigabyte, 500 * gigabyte, "ok"],
    [9 * gigabyte, 500 * gigabyte, "warning"],
    [gigabyte, 10 * gigabyte, "warning"],
    [gigabyte / 10, 10 * gigabyte, "fault"],
  ];
  for (const [freeBytes, totalBytes, level] of cases) {
    const findings = collectFindings();
    judgeDisk({ freeBytes, totalBytes }, 2 * gigabyte, findings);
    assert.equal(findings.all[0]?.level, level, `${freeBytes} of ${totalBytes}`);
  }
});

function daysFromNow(first: number, last: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(Date.now() + first * DAY_MS), notAfter: new Date(Date.now() + last * DAY_MS) };
}

async function writeCertificate(folder: string, daysLeft: number): Promise<{ certFile: string; keyFile: string }> {
  const validity = daysFromNow(-10, daysLeft);
  const leaf = makeLeaf(makeAuthority(validity), validity);
  await mkdir(folder);
  const files = { certFile: join(folder, "cert.pem"), keyFile: join(folder, "key.pem") };
  await writeFile(files.certFile, leaf.cert);
  await writeFile(files.keyFile, leaf.key, { mode: 0o600 });
  return files;
}
