import assert from "node:assert/strict";
import { test } from "node:test";
import { request } from "undici";
import { buildTlsOptions, createGuardedConnector } from "../src/connection/guarded-connector.ts";
import { checkTargetUrl, createAddressPolicy, openGuardedFetch, type Resolver } from "../src/index.ts";
import type { OutboundError } from "../src/outbound-result.ts";
import {
  authority,
  loopbackPolicy,
  openForTest,
  resolveTo,
  startReceiver,
} from "../../../server/test/support/receiver.ts";

const strict = createAddressPolicy({ allowedCidrs: [] });

/** P is replaced by the port of a receiver that must never get a connection. */
const INVALID_URLS = [
  "",
  " ",
  "hooks.example.com",
  "//127.0.0.1:P/",
  "http://127.0.0.1:P/",
  "ftp://127.0.0.1:P/",
  "file:///etc/passwd",
  "data:text/plain,x",
  "gopher://127.0.0.1:P/",
  "https:127.0.0.1:P/",
  "https:/127.0.0.1:P/",
  "https:///127.0.0.1:P/",
  "https://",
  "https:///",
  "https://?",
  "https://#",
  "https://:P/",
  "https://@127.0.0.1:P/",
  "https://:@127.0.0.1:P/",
  "https://user@127.0.0.1:P/",
  "https://user:pass@127.0.0.1:P/",
  "https://example.com@127.0.0.1:P/",
  "https://127.0.0.1:P@example.com/",
  "https://example.com%00@127.0.0.1:P/",
  "https://example.com\\@127.0.0.1:P/",
  "https:\\\\127.0.0.1:P\\",
  "https://127.0.0.1:P\\.example.com/",
  "https://\t127.0.0.1:P/",
  "https://127.0.\n0.1:P/",
  "https://127.0.0.1:P/\r\nhost: x",
  "https://127.0.0.1 :P/",
  " https://127.0.0.1:P/",
  "https://127.0.0.1:P/ ",
  "https://127.0.0.1:P/\u0000",
  "https://127.0.0.1:P/\u0085",
  "https://127.0.0.1:P/\u00a0",
  "https://127.0.0.1:P/\u2028",
  "https://\ufeff127.0.0.1:P/",
  "https://127.0.0.1:P/\ud800",
  "https://hooks.example.com:0/",
  "https://hooks.example.com:22/",
  "https://hooks.example.com:25/",
  "https://hooks.example.com:0025/",
  "https://hooks.example.com:6667/",
  "https://hooks.example.com:10080/",
  "https://hooks.example.com:65536/",
  "https://hooks.example.com:-1/",
  "https://hooks.example.com:4 43/",
  "https://hooks.example.com:0x1bb/",
  "https://hooks.example.com../",
  "https://./",
  "https://../",
  "https://127.0.0.1..:P/",
  "https://hooks..example.com/",
  "https://.example.com/",
  "https://-hooks.example.com/",
  "https://hooks-.example.com/",
  "https://ho*oks.example.com/",
  "https://hooks.example.com%2f@127.0.0.1:P/",
  "https://hooks.example.com%23.example.net/",
  "https://hooks.exam ple.com/",
  "https://[::1/",
  "https://::1:P/",
  "https://[::1%25lo]:P/",
  "https://[::1%lo]:P/",
  "https://[fe80::1%25eth0]:P/",
  "https://[127.0.0.1]:P/",
  "https://[::127.0.0.1.5]:P/",
  "https://256.256.256.256:P/",
  "https://127.0.0.1.5:P/",
  "https://0x7f000001ff:P/",
  "https://\u{e000}.example.com/",
  `https://${"a".repeat(64)}.example.com/`,
  `https://${"abcdefgh.".repeat(32)}example.com/`,
  `https://hooks.example.com/${"a".repeat(2048)}`,
];

const BLOCKED_URLS = [
  // loopback in every notation that the URL parser accepts
  "https://127.0.0.1:P/",
  "HTTPS://127.0.0.1:P/",
  "https://127.0.0.1.:P/",
  "https://127.1:P/",
  "https://127.0.1:P/",
  "https://127.255.255.254:P/",
  "https://2130706433:P/",
  "https://0x7f000001:P/",
  "https://0X7F.1:P/",
  "https://0x7f.0x0.0x0.0x1:P/",
  "https://0177.0.0.1:P/",
  "https://017700000001:P/",
  "https://0177.0x0.1:P/",
  "https://127.0.0.0x1:P/",
  "https://１２７.０.０.１:P/",
  "https://①②⑦.⓪.⓪.①:P/",
  "https://127。0。0。1:P/",
  "https://127．0．0．1:P/",
  "https://%31%32%37.0.0.1:P/",
  "https://127%2e0%2e0%2e1:P/",
  "https://127.0\u00ad.0.1:P/",
  "https://0.0.0.0:P/",
  "https://0:P/",
  "https://0x0:P/",
  "https://00000:P/",
  "https://[::1]:P/",
  "https://[0:0:0:0:0:0:0:1]:P/",
  "https://[::]:P/",
  "https://[::127.0.0.1]:P/",
  "https://[::7f00:1]:P/",
  "https://[::ffff:127.0.0.1]:P/",
  "https://[::ffff:7f00:1]:P/",
  "https://[0:0:0:0:0:ffff:127.0.0.1]:P/",
  "https://[::ffff:0:127.0.0.1]:P/",
  "https://[64:ff9b::127.0.0.1]:P/",
  "https://[64:ff9b::7f00:1]:P/",
  "https://[64:ff9b:1::7f00:1]:P/",
  "https://[2002:7f00:1::]:P/",
  "https://[2001:0:7f00:1::]:P/",
  // metadata and other addresses inside clouds
  "https://169.254.169.254/latest/meta-data/",
  "https://2852039166/",
  "https://0xa9fea9fe/",
  "https://0251.0376.0251.0376/",
  "https://169.16689662/",
  "https://169.254.170.2/",
  "https://100.100.100.200/",
  "https://168.63.129.16/",
  "https://192.0.0.192/",
  "https://[fd00:ec2::254]/",
  "https://[::ffff:a9fe:a9fe]/",
  "https://[64:ff9b::a9fe:a9fe]/",
  // private, shared, multicast, reserved, documentation
  "https://10.0.0.1/",
  "https://172.16.0.1/",
  "https://172.31.255.255/",
  "https://192.168.1.1/",
  "https://100.64.0.1/",
  "https://198.18.0.1/",
  "https://192.0.2.1/",
  "https://198.51.100.7/",
  "https://203.0.113.9/",
  "https://224.0.0.1/",
  "https://255.255.255.255/",
  "https://4294967295/",
  "https://[fe80::1]/",
  "https://[fec0::1]/",
  "https://[fc00::1]/",
  "https://[ff02::1]/",
  "https://[2001:db8::1]/",
  "https://[3fff::1]/",
  "https://[5f00::1]/",
  "https://[100::1]/",
  // names that no public zone contains
  "https://localhost:P/",
  "https://LOCALHOST:P/",
  "HTTPS://LocalHost.:P/",
  "https://localhost.:P/",
  "https://hooks.localhost.:P/",
  "https://metadata.google.internal./",
  "https://kubernetes./",
  "https://LocalHost:P/",
  "https://ｌｏｃａｌｈｏｓｔ:P/",
  "https://local\u00adhost:P/",
  "https://%6c%6fcalhost:P/",
  "https://ⓛocalhost:P/",
  "https://hooks.localhost:P/",
  "https://printer.local/",
  "https://metadata.google.internal/",
  "https://router.home.arpa/",
  "https://nas.lan/",
  "https://kubernetes/",
  "https://xn--bcher-kva/",
  "https://bücher/",
  "https://intranet:8443/",
];

test("no hostile URL opens a socket", async (t) => {
  const receiver = await startReceiver(t);
  // A name that passes the check would resolve to the receiver.
  const { post } = openForTest(t, { policy: strict, resolve: resolveTo("127.0.0.1") });
  const passed: string[] = [];
  for (const [code, urls] of Object.entries({ invalid_url: INVALID_URLS, blocked_address: BLOCKED_URLS })) {
    for (const template of urls) {
      const url = template.replace(":P", `:${receiver.port}`);
      const check = checkTargetUrl(url, strict);
      const result = await post(url);
      const isRejected = !check.ok && check.fault === code && result.kind === "failed" && result.code === code;
      if (!isRejected || result.durationMs !== 0) passed.push(`${JSON.stringify(url)}: ${JSON.stringify(result)}`);
    }
  }
  assert.deepEqual(passed, []);
  assert.equal(receiver.accepted, 0);
  assert.ok(INVALID_URLS.length + BLOCKED_URLS.length >= 100);
});

const GOOD_URLS = [
  "https://hooks.example.com",
  "https://hooks.example.com/",
  "https://hooks.example.com?x",
  "https://hooks.example.com:8443/in?a=b#c",
  "https://Hooks.Example.COM/",
  "https://hooks_1.example.com/",
  "https://bücher.example/",
  "https://xn--bcher-kva.example/",
  "https://例え.jp/",
  "https://8.8.8.8/",
  "https://[2606:4700:4700::1111]:8443/",
  "https://hooks.example.com/a@b",
  "https://hooks.example.com/?q=a@b",
  `https://hooks.example.com/${"a".repeat(2022)}`,
];

test("ordinary URLs pass the check without a DNS query", () => {
  for (const url of GOOD_URLS) assert.deepEqual(checkTargetUrl(url, strict), { ok: true, url: new URL(url) }, url);
});

/** Different texts of one target. */
const NORMALISED_URLS = {
  "https://hooks.example.com/": [
    "HTTPS://Hooks.Example.com",
    "hTTps://hooks.example.com./",
    "https://hooks.example.com.:443/",
    "https://HOOKS%2eexample.com%2E/",
    "https://hooks。example。com。/",
  ],
  "https://hooks.example.com:8443/In?Q=A.": ["HTTPS://HOOKS.example.com.:8443/In?Q=A."],
  "https://8.8.8.8/": ["HTTPS://8.8.8.8./", "https://0x8080808./"],
  "https://xn--bcher-kva.example/": ["https://BÜCHER.example./"],
};

test("a target has one form, whatever the case of its scheme and host, with or without a trailing dot", () => {
  for (const [expected, texts] of Object.entries(NORMALISED_URLS))
    for (const text of texts) {
      const check = checkTargetUrl(text, strict);
      assert.equal(check.ok && check.url.href, expected, text);
    }
});

test("certificate, Host header and connections have the normalised name", async (t) => {
  const hosts: (string | undefined)[] = [];
  const receiver = await startReceiver(t, ({ headers }, response) => {
    hosts.push(headers.host);
    response.end("ok");
  });
  const { post } = openForTest(t, { resolve: resolveTo("127.0.0.1") });
  const guarded = openGuardedFetch({
    policy: loopbackPolicy,
    ca: [authority.cert],
    connectionsPerOrigin: 1,
    exemptUrls: [],
    resolve: resolveTo("127.0.0.1"),
  });
  t.after(() => guarded.close());
  const texts = [
    `https://hooks.example.com:${receiver.port}/`,
    `HTTPS://Hooks.EXAMPLE.com:${receiver.port}/`,
    `https://hooks.example.com.:${receiver.port}/`,
  ];
  for (const text of texts) {
    const result = await post(text);
    assert.equal(result.kind, "answered", JSON.stringify(result));
    assert.equal(await (await guarded.fetch(text)).text(), "ok");
    assert.equal(await (await request(text, { dispatcher: guarded.dispatcher })).body.text(), "ok");
  }
  assert.deepEqual(new Set(hosts), new Set([`hooks.example.com:${receiver.port}`]));
  // One connection for each of the two senders.
  assert.equal(receiver.accepted, 2);
});

test("ports of databases and internal services are rejected unless the operator allows them", async (t) => {
  const internal = [22, 25, 53, 1433, 2375, 2379, 3306, 5432, 6379, 6443, 8500, 9200, 10250, 11211, 27017];
  const { post } = openForTest(t, { policy: strict });
  for (const port of internal) {
    const check = checkTargetUrl(`https://hooks.example.com:${port}/`, strict);
    assert.ok(!check.ok && check.fault === "invalid_url" && check.reason === `Port ${port} is not allowed.`);
    const result = await post(`https://hooks.example.com:${port}/`);
    assert.ok(result.kind === "failed" && result.code === "invalid_url" && result.durationMs === 0, String(port));
  }
  for (const port of [80, 443, 8080, 8443, 3000, 5000, 9000, 9443, 65535])
    assert.ok(checkTargetUrl(`https://hooks.example.com:${port}/`, strict).ok, String(port));
  const open = createAddressPolicy({ allowedCidrs: [], allowedPorts: [5432, 22] });
  for (const port of internal)
    assert.equal(checkTargetUrl(`https://hooks.example.com:${port}/`, open).ok, port === 5432 || port === 22);
});

test("plain HTTP reaches this machine alone, where its address is allowed and the caller asks for it", async (t) => {
  const policy = createAddressPolicy({ allowedCidrs: ["127.0.0.0/8", "10.0.0.0/8"] });
  const plain = { allowsPlainLoopback: true };
  for (const url of ["http://127.0.0.1:3001/mcp", "http://localhost:3001/mcp", "https://10.0.0.1/"]) {
    assert.ok(checkTargetUrl(url, policy, plain).ok, url);
    assert.equal(checkTargetUrl(url, policy).ok, url.startsWith("https:"), url);
  }
  for (const url of [
    "http://10.0.0.1/",
    "http://example.com/",
    "http://localhost.example.com/",
    "http://127.0.0.1.example.com/",
    "http://nas.lan/",
    "http://[::1]/",
    "http://user@127.0.0.1/",
    "http://127.0.0.1:5432/",
    "ftp://127.0.0.1/",
  ])
    assert.ok(!checkTargetUrl(url, policy, plain).ok, url);
  assert.ok(!checkTargetUrl("http://127.0.0.1/", strict, plain).ok);
  assert.ok(!checkTargetUrl("http://localhost/", strict, plain).ok);

  // The name leads to another machine, although the policy allows its address.
  const guarded = openGuardedFetch({
    policy,
    ca: [],
    connectionsPerOrigin: 1,
    exemptUrls: [],
    resolve: resolveTo("10.0.0.1"),
    ...plain,
  });
  t.after(() => guarded.close());
  await assert.rejects(guarded.fetch("http://localhost:3001/"), (error: Error) => {
    assert.equal((error.cause as OutboundError).fault, "blocked_address");
    return true;
  });
});

test("an allow-list allows its literal addresses and defers local names to the DNS", () => {
  const policy = createAddressPolicy({ allowedCidrs: ["127.0.0.0/8"] });
  for (const url of ["https://127.0.0.1:8443/", "https://2130706433/", "https://localhost:8443/", "https://nas.lan/"]) {
    assert.ok(checkTargetUrl(url, policy).ok, url);
  }
  for (const url of [
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://10.0.0.1/",
    "https://169.254.169.254/",
  ]) {
    assert.ok(!checkTargetUrl(url, policy).ok, url);
  }
});

/** DNS answers for a public name. An allowed address among them must not be used either. */
const HOSTILE_ANSWERS = [
  ["127.0.0.1"],
  ["127.0.0.2"],
  ["0.0.0.0"],
  ["::1"],
  ["::"],
  ["::ffff:127.0.0.1"],
  ["::ffff:7f00:1"],
  ["::127.0.0.1"],
  ["64:ff9b::7f00:1"],
  ["64:ff9b::8.8.8.8"],
  ["2002:7f00:1::1"],
  ["2001:0:7f00:1::"],
  ["10.0.0.1"],
  ["172.20.0.1"],
  ["192.168.0.1"],
  ["100.64.0.1"],
  ["100.100.100.200"],
  ["169.254.169.254"],
  ["168.63.129.16"],
  ["192.0.0.192"],
  ["fd00:ec2::254"],
  ["fe80::1"],
  ["fe80::1%lo"],
  ["fe80::1%1"],
  ["::1%lo"],
  ["224.0.0.1"],
  ["255.255.255.255"],
  ["2001:db8::1"],
  ["8.8.8.8", "127.0.0.1"],
  ["127.0.0.1", "8.8.8.8"],
  ["8.8.8.8", "8.8.4.4", "1.1.1.1", "127.0.0.1"],
  ["2606:4700:4700::1111", "127.0.0.1"],
  ["8.8.8.8", "::1"],
  ["::1", "8.8.8.8"],
  ["8.8.8.8", "::ffff:127.0.0.1"],
  ["8.8.8.8", "fe80::1%lo"],
  ["8.8.8.8", "127.1"],
  ["8.8.8.8", "2130706433"],
  ["8.8.8.8", "0x7f000001"],
  ["8.8.8.8", "localhost"],
  ["8.8.8.8", ""],
  ["not an address"],
];

test("no hostile DNS answer leads to a connection", async (t) => {
  const receiver = await startReceiver(t);
  for (const answer of HOSTILE_ANSWERS) {
    const { post } = openForTest(t, { policy: strict, resolve: resolveTo(...answer) });
    const result = await post(`https://hooks.example.com:${receiver.port}/`);
    assert.ok(
      result.kind === "failed" && result.code === "blocked_address",
      `${answer.join()}: ${JSON.stringify(result)}`,
    );
    // The message must not reveal internal addresses to the owner of the webhook.
    for (const address of answer) assert.ok(address === "" || !result.message.includes(address), result.message);
  }
  assert.equal(receiver.accepted, 0);
});

test("all addresses of a local name must be in the allow-list", async (t) => {
  const receiver = await startReceiver(t);
  const url = `https://localhost:${receiver.port}/`;
  assert.equal((await openForTest(t, { resolve: resolveTo("127.0.0.1") }).post(url)).kind, "answered");
  for (const answer of [["127.0.0.1", "8.8.8.8"], ["8.8.8.8"], ["127.0.0.1", "10.0.0.1"]]) {
    const result = await openForTest(t, { resolve: resolveTo(...answer) }).post(url);
    assert.ok(result.kind === "failed" && result.code === "blocked_address", JSON.stringify(result));
  }
  const named = openForTest(t, { resolve: resolveTo("127.0.0.1") });
  assert.equal((await named.post(`https://hooks.example.com:${receiver.port}/`)).kind, "answered");
});

test("DNS rebinding: every new socket checks the addresses at that time", async (t) => {
  const receiver = await startReceiver(t, (_request, response) => {
    response.setHeader("connection", "close");
    response.end("ok");
  });
  const answers = [
    ["127.0.0.1"],
    ["127.0.0.1"],
    ["10.0.0.1"],
    ["127.0.0.1", "10.0.0.1"],
    ["169.254.169.254"],
    ["127.0.0.1"],
  ];
  const asked: string[] = [];
  const resolve: Resolver = async (name) => {
    asked.push(name);
    return {
      ...(await resolveTo(...(answers[asked.length - 1] ?? []))(name, AbortSignal.timeout(1_000))),
      ttlSeconds: 0,
    };
  };
  const { post } = openForTest(t, { resolve, connectionsPerOrigin: 1 });
  const outcomes: string[] = [];
  for (const _answer of answers) {
    const result = await post(`https://hooks.example.com:${receiver.port}/`);
    outcomes.push(result.kind === "answered" ? "answered" : result.code);
  }
  const blocked = "blocked_address";
  assert.deepEqual(outcomes, ["answered", "answered", blocked, blocked, blocked, "answered"]);
  assert.equal(receiver.accepted, 3);
  // One query per socket: the checked address is the connected one.
  assert.equal(asked.length, answers.length);
});

test("DNS rebinding: one socket never makes a second DNS query", async (t) => {
  const receiver = await startReceiver(t);
  let count = 0;
  const resolve: Resolver = (name, signal) => {
    count += 1;
    return count === 1 ? resolveTo("127.0.0.1")(name, signal) : resolveTo("127.0.0.2")(name, signal);
  };
  const { post } = openForTest(t, { policy: createAddressPolicy({ allowedCidrs: ["127.0.0.1/32"] }), resolve });
  const result = await post(`https://hooks.example.com:${receiver.port}/`);
  assert.equal(result.kind, "answered", JSON.stringify(result));
  assert.equal(count, 1);
});

test("the address of the connected socket is checked too", async (t) => {
  const receiver = await startReceiver(t);
  let asked = 0;
  const policy = {
    hasAllowList: true,
    isAllowListed: () => true,
    allowsPort: () => true,
    allows: () => {
      asked += 1;
      return asked === 1;
    },
  };
  const result = await openForTest(t, { policy }).post(`https://hooks.example.com:${receiver.port}/`);
  assert.ok(result.kind === "failed" && result.code === "blocked_address", JSON.stringify(result));
});

test("the connector itself rejects blocked literal addresses and plain HTTP", async () => {
  const asked: string[] = [];
  const connect = createGuardedConnector({
    policy: strict,
    dnsCache: {
      find: async (name) => {
        asked.push(name);
        return [{ address: "127.0.0.1", family: 4 }];
      },
      close() {},
    },
    provideTls: () => buildTlsOptions([]),
  });
  const open = (protocol: string, hostname: string) =>
    new Promise((resolve) => {
      connect({ protocol, hostname, host: hostname, port: "9" }, (...[error]) => resolve(error));
    });
  for (const hostname of ["127.0.0.1", "::1", "::ffff:7f00:1", "10.0.0.1", "hooks.example.com"]) {
    assert.equal(((await open("https:", hostname)) as OutboundError).fault, "blocked_address", hostname);
  }
  assert.equal(((await open("http:", "hooks.example.com")) as OutboundError).fault, "invalid_url");
  assert.deepEqual(asked, ["hooks.example.com"]);
});
