import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addressKey } from "../../src/limits/index.ts";

describe("the rate-limit key of an address", () => {
  it("is the address for IPv4, also in IPv4-mapped form", () => {
    assert.equal(addressKey("203.0.113.7"), "ip:203.0.113.7");
    assert.notEqual(addressKey("203.0.113.8"), addressKey("203.0.113.7"));
    for (const mapped of ["::ffff:203.0.113.7", "::ffff:cb00:7107", "0:0:0:0:0:ffff:cb00:7107"]) {
      assert.equal(addressKey(mapped), "ip:203.0.113.7", mapped);
    }
  });

  it("is the /64 for IPv6 in any notation", () => {
    const key = addressKey("2001:db8:1:2::1");
    for (const same of ["2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:0DB8:0001:0002::", "2001:db8:1:2::9%eth0"]) {
      assert.equal(addressKey(same), key, same);
    }
    for (const other of ["2001:db8:1:3::1", "2001:db8:1::1", "2001:db8::1"])
      assert.notEqual(addressKey(other), key, other);
  });

  it("exists for invalid addresses", () => {
    assert.equal(addressKey(""), "ip:");
    assert.equal(addressKey("not:an:address"), "ip:not:an:address");
  });
});
