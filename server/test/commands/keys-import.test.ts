import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ensureKeys } from "../../src/auth/index.ts";
import { systemClock } from "../../src/time/index.ts";
import { runProgram } from "../app/program.ts";
import { createTestDatabase } from "../support/database.ts";
import { runHere } from "../support/run-here.ts";

const SECRET = "super-secret-jwt-token-with-at-least-32-characters-long";

async function openCommandLine(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-keys-"));
  t.after(() => rm(folder, { recursive: true }));
  const { owner, masterKey, ownerUrl } = await createTestDatabase(t);
  await ensureKeys(owner, { masterKey, clock: systemClock });
  const env = { DATABASE_URL: ownerUrl, MASTER_KEY: masterKey, DATA_DIR: folder };
  return {
    owner,
    keys: (...args: string[]) => runHere(["keys", ...args], env),
    async program(...args: string[]) {
      const program = runProgram(t, ["keys", ...args], { env });
      const { code } = await program.exited;
      return { code, stdout: program.stdout(), stderr: program.stderr() };
    },
    async file(name: string, text: string) {
      const path = join(folder, name);
      await writeFile(path, text);
      return path;
    },
  };
}

test("keys import and revoke", async (t) => {
  const { owner, keys, program, file } = await openCommandLine(t);
  const secret = await file("jwt.secret", `${SECRET}\n`);
  const pem = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "pem", type: "spki" });
  const publicKey = await file("public.pem", pem.toString());

  const imported = await program("import", "--algorithm", "HS256", "--file", secret, "--kid", "legacy");
  assert.deepEqual(imported, {
    code: 0,
    stdout: "Imported legacy. It verifies tokens until it is revoked.\n",
    stderr: "",
  });
  const signing = await keys("import", "--algorithm", "HS256", "--file", secret, "--kid", "now", "--current");
  assert.equal(signing.stdout, "Imported now. Access tokens are now signed with it.\n");
  const { stdout } = await keys("show");
  assert.match(stdout, /^# access_token current: now$/m);
  assert.match(stdout, /^# access_token previous: legacy$/m);
  assert.doesNotMatch(stdout, new RegExp(SECRET));

  assert.equal((await keys("revoke", "legacy")).stdout, "Revoked legacy.\n");
  for (const [args, reason] of [
    [["revoke", "legacy"], /no key legacy to revoke/],
    [["revoke", "now"], /To replace the signing key, use: keys rotate/],
    [["import", "--algorithm", "HS256", "--file", secret, "--kid", "legacy"], /already exists/],
    [["import", "--algorithm", "ES256", "--file", publicKey, "--current"], /Only a private key can sign/],
    [["import", "--algorithm", "RS256", "--file", publicKey], /RSA key/],
    [["import", "--algorithm", "RS256", "--file", `${publicKey}.gone`], /ENOENT/],
  ] as const) {
    const { code, stderr } = await keys(...args);
    assert.equal(code, 1, args.join(" "));
    assert.match(stderr, reason);
  }
  const { rows } = await owner.query(
    "select kid, status from private.signing_keys where kid in ('now', 'legacy') order by 1",
  );
  assert.deepEqual(rows, [
    { kid: "legacy", status: "revoked" },
    { kid: "now", status: "current" },
  ]);
});

test("keys import names missing options", async (t) => {
  const { keys } = await openCommandLine(t);
  for (const [args, reason] of [
    [["import"], /--algorithm must be one of ES256, RS256, HS256/],
    [["import", "--algorithm", "none", "--file", "x"], /--algorithm must be one of/],
    [["import", "--algorithm", "ES256"], /--file must name the file/],
    [["import", "everything", "--algorithm", "ES256", "--file", "x"], /Unknown action "import everything"/],
    [["rotate", "--current"], /--current is an option of: keys import/],
    [["show", "--kid", "x"], /--kid is an option of: keys import/],
    [["revoke"], /Name the key/],
  ] as const) {
    const { code, stderr } = await keys(...args);
    assert.equal(code, 2, args.join(" "));
    assert.match(stderr, reason);
  }
});
