import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planRoles, type RoleState, ROLES } from "../../src/db/plan-roles.ts";

const READY: RoleState = {
  database: "swarmbase",
  isSuperuser: true,
  versionNumber: 180_000,
  existing: [...ROLES, "sb_replica"],
  canBecomeOwner: true,
  isServiceRoleBypassing: true,
  memberships: [
    "sb_user>anon",
    "sb_user>authenticated",
    "sb_user>api_key",
    "sb_service>anon",
    "sb_service>authenticated",
    "sb_service>api_key",
    "sb_service>service_role",
    "api_key>authenticated",
  ],
  canOwnerCreateSchemas: true,
  canOwnerCreateInPublic: true,
  ownsDatabase: true,
  canEverybodyMakeTemporaryTables: false,
  canCreateRoles: true,
  isReplicaReplicating: true,
  canGiveReplication: true,
};

const NEW: RoleState = {
  ...READY,
  existing: [],
  canBecomeOwner: false,
  isServiceRoleBypassing: false,
  memberships: [],
  canOwnerCreateSchemas: false,
  canOwnerCreateInPublic: false,
  canEverybodyMakeTemporaryTables: true,
  isReplicaReplicating: false,
};

const CASES: readonly [string, Partial<RoleState>, readonly string[]][] = [
  ["nothing where all is in place", {}, []],
  [
    "the one role that is missing",
    { existing: READY.existing.filter((role) => role !== "sb_user") },
    ["create role sb_user login noinherit"],
  ],
  [
    "an interface role without login",
    { existing: READY.existing.filter((role) => role !== "anon") },
    ["create role anon nologin noinherit"],
  ],
  [
    "the role of API keys, which has all rights of authenticated",
    {
      existing: READY.existing.filter((role) => role !== "api_key"),
      memberships: READY.memberships.filter((membership) => membership !== "api_key>authenticated"),
    },
    ["create role api_key nologin inherit", "grant authenticated to api_key"],
  ],
  ["the one membership that is missing", { memberships: READY.memberships.slice(1) }, ["grant anon to sb_user"]],
  [
    "bypass for the service role, by a superuser",
    { isServiceRoleBypassing: false },
    ["alter role service_role bypassrls"],
  ],
  [
    "the login that reads the WAL, where the administrator can give the right",
    { existing: ROLES, isReplicaReplicating: false },
    ["create role sb_replica login noinherit", "alter role sb_replica replication"],
  ],
  [
    "the same without the right",
    { existing: ROLES, isReplicaReplicating: false, canGiveReplication: false },
    ["create role sb_replica login noinherit"],
  ],
  [
    "creates no replica login without the right to create roles",
    { existing: ROLES, isReplicaReplicating: false, canCreateRoles: false },
    [],
  ],
  ["no bypass by anybody else", { isServiceRoleBypassing: false, isSuperuser: false }, []],
  ["nothing for a superuser who may become anybody", { canBecomeOwner: false }, []],
  [
    "the way to the owner for a plain administrator",
    { canBecomeOwner: false, isSuperuser: false },
    ["grant swarmbase_owner to current_user with set true, inherit true"],
  ],
  [
    "the same before PostgreSQL 16, which has no such options",
    { canBecomeOwner: false, isSuperuser: false, versionNumber: 150_000 },
    ["grant swarmbase_owner to current_user"],
  ],
  [
    "a database whose name needs quoting",
    { canEverybodyMakeTemporaryTables: true, canOwnerCreateSchemas: false, database: 'my "db"; drop' },
    [
      'revoke temporary on database "my ""db""; drop" from public',
      'grant connect, create, temporary on database "my ""db""; drop" to swarmbase_owner',
    ],
  ],
  ["no right of somebody else's database", { canEverybodyMakeTemporaryTables: true, ownsDatabase: false }, []],
  [
    "rights on public",
    { canOwnerCreateInPublic: false },
    ["grant usage, create on schema public to swarmbase_owner with grant option"],
  ],
];

describe("planning roles", () => {
  for (const [name, state, expected] of CASES) {
    it(name, () => assert.deepEqual(planRoles({ ...READY, ...state }), expected));
  }

  it("creates every role on a new server before it grants anything", () => {
    const statements = planRoles(NEW);
    for (const role of ROLES)
      assert.equal(
        statements.filter((text) => new RegExp(`^create role ${role} (no)?login (no)?inherit$`).test(text)).length,
        1,
        role,
      );
    const lastCreate = statements.findLastIndex((text) => text.startsWith("create role"));
    assert.ok(statements.findIndex((text) => text.startsWith("grant")) > lastCreate);
    assert.equal(statements.length, new Set(statements).size);
  });

  it("never grants the service role or the owner to the login of users", () => {
    const grants = planRoles(NEW).filter((text) => /\bto sb_user\b/.test(text));
    assert.deepEqual(grants, ["grant anon to sb_user", "grant authenticated to sb_user", "grant api_key to sb_user"]);
  });
});
