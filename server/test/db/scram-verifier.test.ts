import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { connectClient, withRole } from "../../src/db/index.ts";
import { buildScramVerifier } from "../../src/db/scram-verifier.ts";
import { sharedCluster } from "../support/database.ts";

describe("a verifier", () => {
  it("has a new salt each time, and is equal for an equal salt", () => {
    const salt = Buffer.alloc(16, 7);
    assert.equal(buildScramVerifier("secret", salt), buildScramVerifier("secret", salt));
    assert.notEqual(buildScramVerifier("secret", salt), buildScramVerifier("secret2", salt));
    assert.notEqual(buildScramVerifier("secret"), buildScramVerifier("secret"));
    assert.match(buildScramVerifier("secret"), /^SCRAM-SHA-256\$4096:[\w+/]{22}==\$[\w+/]{43}=:[\w+/]{43}=$/);
  });

  it("accepts the password, and no other", async (t) => {
    const { adminUrl } = sharedCluster();
    const role = `scram_${randomBytes(4).toString("hex")}`;
    const admin = await connectClient(adminUrl);
    t.after(async () => {
      await admin.query(`drop role if exists ${role}`);
      await admin.end();
    });
    await admin.query(`create role ${role} login password '${buildScramVerifier("right-Password_1")}'`);
    const client = await connectClient(withRole(adminUrl, role, "right-Password_1"));
    const { rows } = await client.query("select session_user::text as role");
    await client.end();
    assert.deepEqual(rows, [{ role }]);
    await assert.rejects(connectClient(withRole(adminUrl, role, "wrong")), { code: "28P01" });
  });
});
