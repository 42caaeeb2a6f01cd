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

test("a caller whose response was refused is held back until another response was sent, and nobody else is", () => {
  const buffered = new BufferedBytes(4 * MIB);
  const open = (address: string) => buffered.open({ ...ANON_PRINCIPAL, address });
  const held = open("192.0.2.1");
  const other = open("192.0.2.1");
  assert.equal(held.add(MIB / 2), null);
  assert.equal(other.add(MIB / 4), null);
  assert.equal(open("192.0.2.1").admit(), null);
  const refused = open("192.0.2.1");
  assert.notEqual(refused.add(MIB), null);
  refused.drop();
  assert.equal(open("192.0.2.1").admit()?.code, "SERVICE_UNAVAILABLE");
  assert.equal(open("192.0.2.2").admit(), null);
  assert.equal(buffered.open(SERVICE_PRINCIPAL).admit(), null);
  other.release();
  assert.equal(open("192.0.2.1").admit(), null);
});

test("a caller is not held back for the responses of others", () => {
  const buffered = new BufferedBytes(4 * MIB);
  assert.equal(buffered.open(SERVICE_PRINCIPAL).add(4 * MIB), null);
  const open = () => buffered.open({ ...ANON_PRINCIPAL, address: "192.0.2.1" });
  const refused = open();
  assert.notEqual(refused.add(MIB / 2), null);
  refused.drop();
  assert.equal(open().admit(), null);
});
