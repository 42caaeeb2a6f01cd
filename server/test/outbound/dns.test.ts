import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { createAddressBook } from "../../src/outbound/dns/address-book.ts";
import type { DnsAnswer, Resolver } from "../../src/outbound/dns/resolver.ts";
import { createSystemResolver } from "../../src/outbound/dns/system-resolver.ts";
import { OutboundError } from "../../src/outbound/outbound-error.ts";
import { startNameServer } from "./support/name-server.ts";
import { openForTest, startReceiver } from "./support/receiver.ts";

const NAME = "hooks.example.com";
const answer = (ttlSeconds: number, ...addresses: string[]): DnsAnswer => ({
  addresses: addresses.map((address) => ({ address, family: 4 as const })),
  ttlSeconds,
});

function createBook(answers: (DnsAnswer | Error)[]) {
  let [asked, nowMs] = [0, 1_000];
  const resolve: Resolver = async () => {
    const next = answers[Math.min(asked, answers.length - 1)];
    asked += 1;
    if (next === undefined || next instanceof Error) throw next ?? new Error("nothing left");
    return next;
  };
  return {
    book: createAddressBook({ resolve, now: () => nowMs }),
    asked: () => asked,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

test("an answer is kept as long as its zone says, and not longer than a minute", async () => {
  for (const [ttlSeconds, keptMs] of [
    [10, 10_000],
    [60, 60_000],
    [86_400, 60_000],
  ] as const) {
    const { book, asked, pass } = createBook([answer(ttlSeconds, "192.0.2.1"), answer(ttlSeconds, "192.0.2.2")]);
    assert.equal((await book.find(NAME))[0]?.address, "192.0.2.1");
    pass(keptMs - 1);
    assert.equal((await book.find(NAME))[0]?.address, "192.0.2.1");
    assert.equal(asked(), 1);
    pass(1);
    assert.equal((await book.find(NAME))[0]?.address, "192.0.2.2");
    assert.equal(asked(), 2);
  }
});

test("an answer that must not be kept is asked for each time", async () => {
  const { book, asked } = createBook([answer(0, "192.0.2.1")]);
  await book.find(NAME);
  await book.find(NAME);
  assert.equal(asked(), 2);
});

test("a failure is kept for a few seconds", async () => {
  const { book, asked, pass } = createBook([new Error("no"), answer(60, "192.0.2.1")]);
  await assert.rejects(book.find(NAME), OutboundError);
  pass(4_999);
  await assert.rejects(book.find(NAME), OutboundError);
  assert.equal(asked(), 1);
  pass(1);
  assert.equal((await book.find(NAME)).length, 1);
});

test("those who ask at the same time share one question, each name has its own", async () => {
  const { book, asked } = createBook([answer(60, "192.0.2.1")]);
  await Promise.all([book.find(NAME), book.find(NAME), book.find("other.example.com")]);
  assert.equal(asked(), 2);
});

test("a resolver that does not answer is given up after its budget, by its own signal too", async () => {
  const signals: AbortSignal[] = [];
  const book = createAddressBook({
    budgetMs: 50,
    resolve: (_name, signal) => {
      signals.push(signal);
      return new Promise(() => {});
    },
  });
  await assert.rejects(
    book.find(NAME),
    (error) => error instanceof OutboundError && error.fault === "dns" && /in time/.test(error.message),
  );
  assert.equal(signals[0]?.aborted, true);
});

test("the book does not grow without end", async () => {
  const { book, asked } = createBook([answer(60, "192.0.2.1")]);
  for (let count = 0; count <= 10_000; count += 1) await book.find(`n${count}.example.com`);
  await book.find("n10000.example.com");
  assert.equal(asked(), 10_001);
  await book.find("n0.example.com");
  assert.equal(asked(), 10_002);
});

test("both families are asked for, and the shorter time counts", async (t) => {
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

test("a name server that is silent about one family does not hold up the other", async (t) => {
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
    // One that hears nothing of either family gives up only after all its tries.
    const patient = resolve(NAME, over.signal).catch(() => null);
    const answer = await Promise.race([resolve(name, over.signal), patient]);
    over.abort();
    assert.deepEqual(
      answer?.addresses.map((resolved) => resolved.address),
      [expected],
    );
  }
});

test("a question that nobody answers ends with its signal", async (t) => {
  const { address, questions } = await startNameServer(t, { [NAME]: null });
  const resolve = createSystemResolver({ usesHostsFile: false, servers: [address] });
  const over = new AbortController();
  const patient = resolve(NAME, over.signal).catch(() => "patient");
  const hasty = resolve(NAME, AbortSignal.timeout(100)).catch(() => "hasty");
  assert.equal(await Promise.race([patient, hasty]), "hasty");
  over.abort();
  // Each of both kinds of addresses.
  while (questions.length < 4) await wait(5);
});

test("the hosts file is asked for local names, and only where that is wanted", async (t) => {
  const { address } = await startNameServer(t, {});
  const { signal } = new AbortController();
  const found = await createSystemResolver({ usesHostsFile: true, servers: [address] })("localhost", signal);
  assert.ok(found.addresses.some((resolved) => resolved.address === "127.0.0.1" || resolved.address === "::1"));
  await assert.rejects(createSystemResolver({ usesHostsFile: false, servers: [address] })("localhost", signal));
});

test("a name of a real server is resolved, judged and reached", async (t) => {
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
