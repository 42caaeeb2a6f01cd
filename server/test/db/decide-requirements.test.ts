import assert from "node:assert/strict";
import { test } from "node:test";
import { decideRequirements as decide, type NodeNeeds } from "../../src/db/decide-requirements.ts";
import type { ServerProperties } from "../../src/db/sql/select-server-properties.ts";

const GOOD: ServerProperties = {
  versionNumber: 150_004,
  version: "15.4",
  encoding: "UTF8",
  isStandby: false,
  isReadOnly: false,
  isJitOn: false,
  maxConnections: 97,
  nowMs: 0,
  role: "deployer",
  database: "app",
  isSuperuser: false,
  canCreateRoles: true,
  canReplicate: true,
  canCreateInDatabase: true,
  canGrantOnPublic: true,
  ownsDatabase: true,
  canEverybodyMakeTemporaryTables: true,
  missingRoles: ["swarmbase_owner", "anon"],
  canBecomeOwner: null,
  foreignSchemas: [],
  walLevel: "logical",
  maxWalSenders: 10,
  maxReplicationSlots: 10,
};

const decideRequirements = (server: ServerProperties, needs: NodeNeeds = { connections: 36 }) => decide(server, needs);

test("a suitable server has neither faults nor warnings", () => {
  assert.deepEqual(decideRequirements(GOOD), { faults: [], warnings: [] });
});

const FAULTS: [string, Partial<ServerProperties>, RegExp][] = [
  ["version", { versionNumber: 140_011, version: "14.11" }, /PostgreSQL 15 or later.*14\.11/],
  ["standby", { isStandby: true, isReadOnly: true }, /read-only standby/],
  ["encoding", { encoding: "SQL_ASCII" }, /encoding 'UTF8'/],
  ["roles", { canCreateRoles: false }, /swarmbase_owner, anon.*alter role "deployer" createrole;/],
  ["owner", { canBecomeOwner: false }, /grant swarmbase_owner to "deployer";/],
  ["database", { canCreateInDatabase: false }, /grant create on database "app" to "deployer";/],
  ["public", { canGrantOnPublic: false }, /on schema public to "deployer" with grant option;/],
  [
    "schemas",
    { foreignSchemas: [{ name: "auth", owner: "supabase_auth_admin" }] },
    /schema auth .* supabase_auth_admin/,
  ],
];

for (const [name, properties, expected] of FAULTS) {
  test(`a fault of ${name} is reported with its remedy`, () => {
    const { faults, warnings } = decideRequirements({ ...GOOD, ...properties });
    assert.equal(faults.length, 1);
    assert.match(faults[0] ?? "", expected);
    assert.deepEqual(warnings, []);
  });
}

test("a read-only server is one fault", () => {
  const { faults } = decideRequirements({ ...GOOD, isReadOnly: true });
  assert.equal(faults.length, 1);
  assert.match(faults[0] ?? "", /is read-only: .*alter system set default_transaction_read_only = off;/);
});

test("jit, and fewer connections than this node opens, are warnings with their remedy", () => {
  const { faults, warnings } = decideRequirements({ ...GOOD, isJitOn: true, maxConnections: 35 });
  assert.deepEqual(faults, []);
  assert.equal(warnings.length, 2);
  assert.match(warnings[0] ?? "", /jit is on.*alter database "app" set jit = off;/);
  assert.match(
    warnings[1] ?? "",
    /up to 36 connections, and the server permits 35 .*DB_POOL_SIZE.*max_connections = 100;/,
  );
  assert.deepEqual(decideRequirements({ ...GOOD, maxConnections: 35 }, { connections: null }).warnings, []);
});

test("all faults are reported together", () => {
  const all = Object.assign({}, GOOD, ...FAULTS.map(([, properties]) => properties));
  assert.equal(decideRequirements(all).faults.length, FAULTS.length);
});

test("roles that exist already need no right to create roles", () => {
  assert.deepEqual(
    decideRequirements({ ...GOOD, canCreateRoles: false, missingRoles: [], canBecomeOwner: true }).faults,
    [],
  );
});

test("names are quoted in the SQL", () => {
  const { faults } = decideRequirements({ ...GOOD, role: 'odd"name', canCreateInDatabase: false });
  assert.match(faults[0] ?? "", /to "odd""name";/);
});

test("requirements of realtime alone are warnings", () => {
  const { faults, warnings } = decideRequirements({
    ...GOOD,
    walLevel: "replica",
    maxWalSenders: 0,
    maxReplicationSlots: 0,
    canReplicate: false,
  });
  assert.deepEqual(faults, []);
  assert.equal(warnings.length, 4);
  assert.match(warnings[0] ?? "", /realtime needs wal_level=logical/);
});

test("temporary tables that only another role can forbid are a warning, not a fault", () => {
  const { faults, warnings } = decideRequirements({ ...GOOD, ownsDatabase: false });
  assert.deepEqual(faults, []);
  assert.match(warnings.join(), /revoke temporary on database "app" from public;/);
});
