import assert from "node:assert/strict";
import { test } from "node:test";
import { runHere } from "../support/run-here.ts";
import { WITHOUT_DETECTION } from "../support/without-detection.ts";
import { WITHOUT_LIMITS } from "../support/without-limits.ts";

/** `runHere` sets further variables; an empty one counts as unset. */
const SET_BY_RUN = ["LOG_FORMAT", "PORT", ...Object.keys({ ...WITHOUT_DETECTION, ...WITHOUT_LIMITS })];
const PLAIN = Object.fromEntries(SET_BY_RUN.map((name) => [name, ""]));
const SECRET = "a-secret-of-at-least-32-characters";

test("config prints only what differs from the defaults, and no secret", async () => {
  const env = {
    ...PLAIN,
    PORT: "9000",
    HOST: "127.0.0.1",
    DATA_DIR: ".swarmbase",
    MASTER_KEY: SECRET,
    DATABASE_URL: `postgresql://ann:${SECRET}@db.example/swarmbase`,
    BACKUP_S3_URL: "https://s3.example/bucket",
    BACKUP_S3_ACCESS_KEY_ID: "key-id",
    BACKUP_S3_SECRET_ACCESS_KEY: SECRET,
    BACKUP_BASES_KEPT: "7",
    OTEL_SERVICE_NAME: "one\nPORT  1\u001b[2J",
    OTEL_EXPORTER_OTLP_HEADERS: `key=${SECRET}`,
  };
  const { code, stdout, stderr } = await runHere(["config"], env);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^PORT +9000 {2}\(default: 8443\)$/m);
  assert.match(stdout, /^MASTER_KEY +\(secret\)$/m);
  assert.match(stdout, /^DATABASE_URL +\(secret\)$/m);
  assert.match(stdout, /^BACKUP_S3_URL +https:\/\/s3\.example\/bucket$/m);
  assert.match(stdout, /^OTEL_SERVICE_NAME +one\u{fffd}PORT {2}1\u{fffd}\[2J {2}\(default: swarmbase\)$/mu);
  assert.match(stdout, /^OTEL_EXPORTER_OTLP_HEADERS +\(secret\)$/m);
  assert.equal(stdout.trimEnd().split("\n").length, 8);
  assert.doesNotMatch(stdout, /a-secret|key-id|HOST|DATA_DIR|BACKUP_BASES_KEPT/);

  const json = await runHere(["config", "--json"], env);
  const rows = JSON.parse(json.stdout) as { name: string; value: string; default: string | null }[];
  assert.deepEqual(rows[0], { name: "PORT", value: "9000", default: "8443" });
  assert.doesNotMatch(json.stdout, /a-secret|key-id/);
});

test("config says when nothing differs, and points out misspelt settings", async () => {
  const { code, stdout, stderr } = await runHere(["config"], { ...PLAIN, PROT: "9000", BACKUP_DYR: "/backups" });
  assert.deepEqual([code, stdout], [0, "All settings have their defaults.\n"]);
  assert.match(stderr, /^PROT is no setting\. It looks like PORT\.$/m);
  assert.match(stderr, /^BACKUP_DYR is no setting\. It looks like BACKUP_DIR\.$/m);
});

test("config shows an empty list of extensions", async () => {
  const { stdout } = await runHere(["config"], { ...PLAIN, EXTENSIONS: "" });
  assert.match(stdout, /^EXTENSIONS {2}\(empty\) {2}\(default: providers, reference, .*\)\n$/);
});

test("config names every invalid setting", async () => {
  const { code, stdout, stderr } = await runHere(["config"], { ...PLAIN, PORT: "x", HTTP2_ENABLED: "maybe" });
  assert.deepEqual([code, stdout], [2, ""]);
  assert.match(stderr, /PORT/);
  assert.match(stderr, /HTTP2_ENABLED/);
});
