import assert from "node:assert/strict";
import { test } from "node:test";
import { SettingsError } from "swarmbase/extension";
import { type BackupSettings, requireConsistent } from "../src/settings.ts";

test("the address of a bucket has no credentials, which messages would show", () => {
  const keys = { BACKUP_S3_ACCESS_KEY_ID: "id", BACKUP_S3_SECRET_ACCESS_KEY: "secret" };
  const check = (url: string): void =>
    requireConsistent({ BACKUP_DIR: null, BACKUP_S3_URL: url, ...keys } as BackupSettings);
  check("https://s3.example.com/bucket/folder");
  for (const url of [
    "https://id:planted@s3.example.com/bucket",
    "https://planted@s3.example.com/bucket",
    "https://s3.example.com/bucket?token=planted",
    "https://s3.example.com/bucket#planted",
  ])
    assert.throws(
      () => check(url),
      (error: unknown) => error instanceof SettingsError && !error.message.includes("planted"),
      url,
    );
});
