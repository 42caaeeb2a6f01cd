import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createAddressPolicy } from "../src/index.ts";
import { BLOCKED_IPV4, BLOCKED_IPV6 } from "../src/special-ranges.ts";

const strict = createAddressPolicy({ allowedCidrs: [] });

const PUBLIC = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "168.63.129.15",
  "168.63.129.17",
  "169.253.255.255",
  "169.255.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.1.0",
  "192.0.3.0",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2001:200::1",
  "2606:4700:4700::1111",
  "2a00:1450:4001:80b::200e",
  "3ffe::1",
];

const BLOCKED = [
  "0.0.0.0",
  "0.255.255.255",
  "10.0.0.0",
  "10.255.255.255",
  "100.64.0.0",
  "100.100.100.200",
  "100.127.255.255",
  "127.0.0.1",
  "127.255.255.255",
  "168.63.129.16",
  "169.254.0.0",
  "169.254.169.254",
  "169.254.170.2",
  "172.16.0.0",
  "172.31.255.255",
  "192.0.0.192",
  "192.0.2.1",
  "192.31.196.1",
  "192.52.193.1",
  "192.88.99.1",
  "192.168.0.0",
  "192.168.255.255",
  "192.175.48.1",
  "198.18.0.0",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::7f00:1",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "::ffff:0:7f00:1",
  "64:ff9b::7f00:1",
  "64:ff9b::808:808",
  "64:ff9b:1::a00:1",
  "100::1",
  "2001::1",
  "2001:0:4136:e378:8000:63bf:3fff:fdd2",
  "2001:2::1",
  "2001:10::1",
  "2001:20::1",
  "2001:1ff:ffff::1",
  "2001:db8::1",
  "2002:7f00:1::1",
  "2002:808:808::1",
  "3fff::1",
  "3fff:fff::1",
  "4000::1",
  "5f00::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "2606:4700:4700::1111%eth0",
  "fec0::1",
  "ff02::1",
  "",
  "localhost",
  "2130706433",
  "0x7f000001",
  "0177.0.0.1",
  "127.1",
  "8.8.8.8 ",
  "８.8.8.8",
];

test("the address policy allows public addresses only", () => {
  assert.deepEqual(
    PUBLIC.filter((address) => !strict.allows(address)),
    [],
  );
  assert.deepEqual(
    BLOCKED.filter((address) => strict.allows(address)),
    [],
  );
});

test("the address policy blocks every address of a blocked range", () => {
  const ranges = [...BLOCKED_IPV4, ...BLOCKED_IPV6].map((range) => range.split("/") as [string, string]);
  fc.assert(
    fc.property(fc.constantFrom(...ranges), fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), ([network, bits], random) => {
      const [width, groupBits, radix, separator] = network.includes(":")
        ? ([128n, 16n, 16, ":"] as const)
        : ([32n, 8n, 10, "."] as const);
      const free = width - BigInt(bits);
      const value = ((toNumber(network) >> free) << free) | (random & ((1n << free) - 1n));
      const groups = Array.from({ length: Number(width / groupBits) }, (_, at) =>
        ((value >> (width - groupBits * BigInt(at + 1))) & ((1n << groupBits) - 1n)).toString(radix),
      );
      return !strict.allows(groups.join(separator));
    }),
    { numRuns: 2_000 },
  );
});

function toNumber(address: string): bigint {
  if (!address.includes(":")) return address.split(".").reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
  const [head = "", tail = ""] = address.split("::");
  const [left, right] = [head, tail].map((text) => text.split(":").filter((group) => group !== "")) as [
    string[],
    string[],
  ];
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill("0"), ...right];
  return groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}

test("the allow-list allows exactly its ranges in exactly their address family", () => {
  const policy = createAddressPolicy({ allowedCidrs: ["127.0.0.0/8", "::1/128", "10.1.2.3", "64:ff9b::/96"] });
  assert.equal(policy.hasAllowList, true);
  for (const address of ["127.0.0.1", "127.9.9.9", "::1", "10.1.2.3", "64:ff9b::808:808"]) {
    assert.ok(policy.allows(address), address);
    assert.ok(policy.isAllowListed(address), address);
  }
  for (const address of ["10.1.2.4", "::2", "::ffff:127.0.0.1", "::7f00:1", "169.254.169.254"]) {
    assert.ok(!policy.allows(address), address);
  }
  assert.ok(policy.allows("8.8.8.8") && !policy.isAllowListed("8.8.8.8"));
});

test("an invalid entry of the allow-list is named in the error", () => {
  for (const entry of [
    "10/8",
    "10.0.0.0/33",
    "::/129",
    "10.0.0.0/",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "example.com/8",
    "",
    "fe80::1%eth0/64",
  ]) {
    assert.throws(
      () => createAddressPolicy({ allowedCidrs: [entry] }),
      (error: Error) => error instanceof RangeError && error.message.includes(`"${entry}"`),
      entry,
    );
  }
});
