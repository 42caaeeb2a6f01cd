import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { planPush } from "../src/db/plan-push.ts";
import { type MigrationFile, nextName } from "../src/db/read-migrations.ts";

const file = (name: string, hash = name): MigrationFile => ({ name, hash, path: `${name}.sql`, text: "" });
const FILES = [file("0001_a"), file("0002_b"), file("0003_c")];

describe("planning a push", () => {
  test("applies what the database does not have, in order", () => {
    assert.deepEqual(planPush(FILES, []), FILES);
    assert.deepEqual(planPush(FILES, [{ name: "0001_a", hash: "0001_a" }]), FILES.slice(1));
    assert.deepEqual(planPush(FILES, FILES), []);
  });

  test("rejects files that were changed, removed or inserted before applied ones, all at once", () => {
    const applied = [
      { name: "0000_gone", hash: "x" },
      { name: "0001_a", hash: "other" },
      { name: "0003_c", hash: "0003_c" },
    ];
    assert.throws(() => planPush(FILES, applied), {
      message: `The migrations do not fit the database:
  - 0001_a was changed after it was applied.
  - 0000_gone was applied, and its file is missing.
  - 0002_b comes before 0003_c, which was applied; give it a later number.
Nothing was changed. Write a further migration instead, or start again with: swarmbase db reset`,
    });
  });

  test("names the next migration like the others", () => {
    const now = new Date("2026-11-16T19:20:21Z");
    assert.equal(nextName([], "notes", now), "0001_notes");
    assert.equal(nextName(FILES, "notes", now), "0004_notes");
    assert.equal(nextName([file("20251231235959_x")], "notes", now), "20261116192021_notes");
  });
});
