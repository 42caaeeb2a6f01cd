import assert from "node:assert/strict";
import { test } from "node:test";
import { findAttributesFault, parseDatabaseHosts } from "../../src/config/database-hosts.ts";

const WRITES = "target_session_attrs=read-write";

test("a connection string with one host is used as it is", () => {
  for (const url of [
    "postgresql://u:p@h:5432/db",
    "postgres://u:p,q@h/db?sslmode=verify-full",
    "postgresql:///db?host=/run/sb",
    "postgresql:///db?host=%2Frun%2Fa+b%2Cc&port=5432",
    "postgresql://u:p@[::1]:5433/db",
  ])
    assert.deepEqual(parseDatabaseHosts(url), { urls: [url], mustAcceptWrites: false });
});

const LISTS: readonly [string, readonly string[]][] = [
  ["postgresql://u:p@a:1,b:2/db", ["postgresql://u:p@a:1/db", "postgresql://u:p@b:2/db"]],
  [`postgresql://u:p@a,b,c/db?${WRITES}`, ["a", "b", "c"].map((host) => `postgresql://u:p@${host}/db`)],
  [`postgresql://u:p@a:1/db?${WRITES}`, ["postgresql://u:p@a:1/db"]],
  [
    `postgresql://u:p@[::1]:1,[::2]:2/db?sslmode=verify-full&${WRITES}`,
    ["postgresql://u:p@[::1]:1/db?sslmode=verify-full", "postgresql://u:p@[::2]:2/db?sslmode=verify-full"],
  ],
  [
    "postgresql://u:p@/db?host=a,b&port=1,2",
    ["postgresql://u:p@/db?host=a&port=1", "postgresql://u:p@/db?host=b&port=2"],
  ],
  ["postgresql://a,b/db?port=6432", ["postgresql://a/db?port=6432", "postgresql://b/db?port=6432"]],
];

test("a list of hosts becomes one connection string for each, which must accept writes", () => {
  for (const [url, urls] of LISTS) assert.deepEqual(parseDatabaseHosts(url), { urls, mustAcceptWrites: true }, url);
});

test("a list of ports of another length than that of the hosts is invalid", () => {
  assert.equal(parseDatabaseHosts("postgresql:///db?host=a,b&port=1,2,3"), null);
});

test("only servers that accept writes can be asked for", () => {
  for (const accepted of ["read-write", "primary"])
    assert.equal(findAttributesFault(`postgresql://a,b/db?target_session_attrs=${accepted}`), null);
  for (const rejected of ["any", "read-only", "standby", "prefer-standby", ""])
    assert.match(
      findAttributesFault(`postgresql://a,b/db?x=1&target_session_attrs=${rejected}`) ?? "",
      /^target_session_attrs must be read-write or primary/,
    );
});
