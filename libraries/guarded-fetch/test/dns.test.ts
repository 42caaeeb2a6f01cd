import assert from "node:assert/strict";
import { test } from "node:test";
import { createDnsCache } from "../src/dns/dns-cache.ts";
import type { DnsAnswer, Resolver } from "../src/dns/resolver.ts";
import { createSystemResolver } from "../src/dns/system-resolver.ts";
import { OutboundError } from "../src/outbound-result.ts";
import { startNameServer } from "./support/name-server.ts";
import { openForTest, startReceiver } from "../../../server/test/support/receiver.ts";
import { until } from "../../../server/test/support/until.ts";

const NAME = "hooks.example.com";
const answer = (ttlSeconds: number, ...addresses: string[]): DnsAnswer => ({
  addresses: addresses.map((address) => ({ address, family: 4 as const })),
  ttlSeconds,
});

function createCache(answers: (DnsAnswer | Error)[]) {
  let [asked, nowMs] = [0, 1_000];
  const resolve: Resolver = async () => {
    const next = answers[Math.min(asked, answers.length - 1)];
    asked += 1;
    if (next === undefined || next instanceof Error) throw next ?? new Error("nothing left");
    return next;
  };
  return {
    cache: createDnsCache({ resolve, now: () => nowMs }),
    asked: () => asked,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

test("the DNS cache keeps an answer for its TTL, at most a minute", async () => {
  for (const [ttlSeconds, keptMs] of [
    [10, 10_000],
    [60, 60_000],
    [86_400, 60_000],
  ] as const) {
    const { cache, asked, pass } = createCache([answer(ttlSeconds, "192.0.2.1"), answer(ttlSeconds, "192.0.2.2")]);
    assert.equal((await cache.find(NAME))[0]?.address, "192.0.2.1");
    pass(keptMs - 1);
    assert.equal((await cache.find(NAME))[0]?.address, "192.0.2.1");
    assert.equal(asked(), 1);
    pass(1);
    assert.equal((await cache.find(NAME))[0]?.address, "192.0.2.2");
    assert.equal(asked(), 2);
  }
});

test("the DNS cache does not keep an answer with a TTL of zero", async () => {
  const { cache, asked } = createCache([answer(0, "192.0.2.1")]);
  await cache.find(NAME);
  await cache.find(NAME);
  assert.equal(asked(), 2);
});

test("the DNS cache keeps a failure for a few seconds", async () => {
  const { cache, asked, pass } = createCache([new Error("no"), answer(60, "192.0.2.1")]);
  await assert.rejects(cache.find(NAME), OutboundError);
  pass(4_999);
  await assert.rejects(cache.find(NAME), OutboundError);
  assert.equal(asked(), 1);
  pass(1);
  assert.equal((await cache.find(NAME)).length, 1);
});

test("concurrent lookups of one name share one DNS query", async () => {
  const { cache, asked } = createCache([answer(60, "192.0.2.1")]);
  await Promise.all([cache.find(NAME), cache.find(NAME), cache.find("other.example.com")]);
  assert.equal(asked(), 2);
});

test("a DNS query without an answer times out and its signal aborts", async () => {
  const signals: AbortSignal[] = [];
  const cache = createDnsCache({
    timeoutMs: 50,
    resolve: (_name, signal) => {
      signals.push(signal);
      return new Promise(() => {});
    },
  });
  await assert.rejects(
    cache.find(NAME),
    (error) => error instanceof OutboundError && error.fault === "dns" && /in time/.test(error.message),
  );
  assert.equal(signals[0]?.aborted, true);
});

test("the DNS cache is bounded", async () => {
  const { cache, asked } = createCache([answer(60, "192.0.2.1")]);
  for (let count = 0; count <= 10_000; count += 1) await cache.find(`n${count}.example.com`);
  await cache.find("n10000.example.com");
  assert.equal(asked(), 10_001);
  await cache.find("n0.example.com");
  assert.equal(asked(), 10_002);
});

test("the resolver queries both address families and uses the shorter TTL", async (t) => {
  const { address, questions } = await startNameServer(t, {
    [NAME]: { addresses: ["192.0.2.1", "192.0.2.2", "2001:db8::1"], ttlSeconds: 17 },
    "four.example.com": { addresses: ["192.0.2.4"], ttlSeconds: 5 },
    "six.example.com": { addresses: ["2001:db8::6"], ttlSeconds: 5 },
    "empty.example.com": { addresses: [], ttlSeconds: 5 },
  });
  const resolve = createSystemResolver({ usesHostsFile: false, servers: [address] });
  const { signal } = new AbortController();
  assert.deepEqual(await resolve(NAME, signal), {
    addresses: [
      { address: "192.0.2.1", family: 4 },
      { address: "192.0.2.2", family: 4 },
      { address: "2001:db8::1", family: 6 },
    ],
    ttlSeconds: 17,
  });
  assert.deepEqual(questions.toSorted(), [`A ${NAME}`, `AAAA ${NAME}`]);
  assert.deepEqual((await resolve("four.example.com", signal)).addresses, [{ address: "192.0.2.4", family: 4 }]);
  assert.deepEqual((await resolve("six.example.com", signal)).addresses, [{ address: "2001:db8::6", family: 6 }]);
  await assert.rejects(resolve("empty.example.com", signal), { code: "ENODATA" });
  await assert.rejects(resolve("missing.example.com", signal), { code: "ENOTFOUND" });
});

test("a name server that never answers for one address family does not delay the other", async (t) => {
  const { address } = await startNameServer(t, {
    "four.example.com": { addresses: ["192.0.2.4"], ttlSeconds: 5, silentFor: "AAAA" },
    "six.example.com": { addresses: ["2001:db8::6"], ttlSeconds: 5, silentFor: "A" },
    [NAME]: null,
  });
  const resolve = createSystemResolver({ usesHostsFile: false, servers: [address] });
  for (const [name, expected] of [
    ["four.example.com", "192.0.2.4"],
    ["six.example.com", "2001:db8::6"],
  ] as const) {
    const over = new AbortController();
    // Without any answer the client gives up only after all its tries.
    const slow = resolve(NAME, over.signal).catch(() => null);
    const answer = await Promise.race([resolve(name, over.signal), slow]);
    over.abort();
    assert.deepEqual(
      answer?.addresses.map((resolved) => resolved.address),
      [expected],
    );
  }
});

test("an abort ends a DNS query without an answer", async (t) => {
  const { address, questions } = await startNameServer(t, { [NAME]: null });
  const resolve = createSystemResolver({ usesHostsFile: false, servers: [address] });
  const over = new AbortController();
  const slow = resolve(NAME, over.signal).catch(() => "slow");
  const fast = resolve(NAME, AbortSignal.timeout(100)).catch(() => "fast");
  assert.equal(await Promise.race([slow, fast]), "fast");
  over.abort();
  // Two tries for each address family.
  await until(() => questions.length >= 4, "both queries are repeated");
});

test("the resolver uses the hosts file for local names when it is allowed", async (t) => {
  const { address } = await startNameServer(t, {});
  const { signal } = new AbortController();
  const found = await createSystemResolver({ usesHostsFile: true, servers: [address] })("localhost", signal);
  assert.ok(found.addresses.some((resolved) => resolved.address === "127.0.0.1" || resolved.address === "::1"));
  await assert.rejects(createSystemResolver({ usesHostsFile: false, servers: [address] })("localhost", signal));
});

test("a name is resolved by a real name server, checked and connected to", async (t) => {
  const receiver = await startReceiver(t);
  const names = await startNameServer(t, {
    [NAME]: { addresses: ["127.0.0.1"], ttlSeconds: 60 },
    "bad.example.com": { addresses: ["127.0.0.1", "10.0.0.1"], ttlSeconds: 60 },
    "mapped.example.com": { addresses: ["::ffff:7f00:1"], ttlSeconds: 60 },
  });
  const resolve = createSystemResolver({ usesHostsFile: false, servers: [names.address] });
  const { post } = openForTest(t, { resolve });
  assert.equal((await post(`https://${NAME}:${receiver.port}/`)).kind, "answered");
  for (const name of ["bad.example.com", "mapped.example.com"]) {
    const result = await post(`https://${name}:${receiver.port}/`);
    assert.ok(result.kind === "failed" && result.code === "blocked_address", JSON.stringify(result));
  }
  assert.equal(receiver.accepted, 1);
});
