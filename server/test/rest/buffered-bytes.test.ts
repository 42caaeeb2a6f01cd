import assert from "node:assert/strict";
import { test } from "node:test";
import { ANON_PRINCIPAL, SERVICE_PRINCIPAL } from "../../src/db/index.ts";
import { BufferedBytes } from "../../src/rest/buffered-bytes.ts";

const MIB = 1_048_576;

test("anonymous callers of one address share a quarter of the buffered bytes, and those of another have their own", () => {
  const buffered = new BufferedBytes(4 * MIB);
  const open = (address: string) => buffered.open({ ...ANON_PRINCIPAL, address });
  assert.equal(open("192.0.2.1").add(MIB), null);
  assert.equal(open("192.0.2.1").add(MIB)?.code, "SERVICE_UNAVAILABLE");
  assert.equal(open("192.0.2.2").add(MIB), null);
});

test("released bytes can be used again, and the service role can use all of them", () => {
  const buffered = new BufferedBytes(4 * MIB);
  const response = buffered.open(SERVICE_PRINCIPAL);
  assert.equal(response.add(4 * MIB), null);
  assert.equal(buffered.open(ANON_PRINCIPAL).add(MIB)?.code, "SERVICE_UNAVAILABLE");
  response.release();
  assert.equal(buffered.open({ ...ANON_PRINCIPAL, address: "192.0.2.1" }).add(MIB), null);
});
