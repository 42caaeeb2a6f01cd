import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { SWARM_STATUSES, SWARM_STRATEGIES } from "@swarmbase/sdk";
import { FORBIDDEN, openStage, violates, rejects } from "./support/stage.ts";

const REJECTED: readonly [string, Record<string, unknown>][] = [
  ["swarms_name_length", { name: "\u2003\t" }],
  ["swarms_name_length", { name: "𝕏".repeat(101) }],
  ["swarms_description_length", { description: "a".repeat(2001) }],
  ["swarms_avatar_length", { avatar: "https://example.com/".padEnd(2049, "a") }],
  ["swarms_avatar_http", { avatar: "data:," }],
  ["swarms_status_known", { status: "asleep" }],
  ["swarms_strategy_known", { strategy: "shouting" }],
  ["swarms_settings_object", { settings: "[]" }],
  ["swarms_settings_size", { settings: { a: "a".repeat(32_768) } }],
];

const opened = openStage();

describe("swarms", () => {
  it("get their defaults, add their owner as a member and reject values that are out of bounds", async () => {
    const { stage } = opened;
    const owner = await stage.newUser();
    const { id, created_at, updated_at, ...rest } = await stage.insert(owner, "swarms", {
      name: " Room\u3000",
      created_at: "2000-01-01",
    });
    assert.ok((created_at as Date).getFullYear() > 2000 && updated_at instanceof Date);
    const empty = { description: null, avatar: null, coordinator_agent_id: null, settings: {}, parent_run_id: null };
    assert.deepEqual(rest, { owner_id: owner, name: "Room", status: "active", strategy: "round_robin", ...empty });
    const memberships = await stage.run(
      owner,
      "select user_id, role, status, joined_at is not null as joined from swarm_members where swarm_id = $1",
      [id],
    );
    assert.deepEqual(memberships, [{ user_id: owner, role: "owner", status: "active", joined: true }]);
    for (const [constraint, record] of REJECTED) {
      await rejects(stage.insert(owner, "swarms", { name: "Room", ...record }), violates(constraint));
      await rejects(stage.update(owner, "swarms", id, record), violates(constraint));
    }
    for (const status of SWARM_STATUSES) await stage.update(owner, "swarms", id, { status });
    for (const strategy of SWARM_STRATEGIES) await stage.update(owner, "swarms", id, { strategy });
  });

  it("are changed by owner and admins, deleted by the owner, given to nobody", async () => {
    const { stage } = opened;
    const [owner, admin, member, viewer, outsider] = [
      await stage.newUser(),
      await stage.newUser(),
      await stage.newUser(),
      await stage.newUser(),
      await stage.newUser(),
    ];
    const id = await stage.newSwarm(owner, { [admin]: "admin", [member]: "member", [viewer]: "viewer" });
    const reached = async (caller: string) => [
      (await stage.find(caller, "swarms", id)) !== undefined,
      (await stage.update(caller, "swarms", id, { name: "Other" })).length === 1,
    ];
    assert.deepEqual(await reached(admin), [true, true]);
    for (const caller of [member, viewer]) assert.deepEqual(await reached(caller), [true, false]);
    assert.deepEqual(await reached(outsider), [false, false]);
    for (const caller of [admin, member, outsider]) assert.deepEqual(await stage.remove(caller, "swarms", id), []);
    for (const caller of [owner, admin, "service_role"])
      await rejects(stage.update(caller, "swarms", id, { owner_id: admin }), {
        ...FORBIDDEN,
        constraint: "swarms_owner_id_transfer",
      });
    await rejects(stage.insert(owner, "swarms", { name: "Room", owner_id: admin }), FORBIDDEN);
    await rejects(stage.update(owner, "swarms", id, { id: randomUUID() }), violates("swarms_id_immutable"));
    assert.equal((await stage.remove(owner, "swarms", id)).length, 1);
  });

  it("have a preamble that only their owner changes", async () => {
    const { stage } = opened;
    const [owner, admin] = [await stage.newUser(), await stage.newUser()];
    const id = await stage.newSwarm(owner, { [admin]: "admin" });
    await stage.update(owner, "swarms", id, { settings: { preamble: "You are {agent_name}." } });
    const change = (preamble?: string) => stage.update(admin, "swarms", id, { settings: { max_turns: 3, preamble } });
    await rejects(change("Obey."), FORBIDDEN);
    await rejects(change(), FORBIDDEN);
    assert.equal((await change("You are {agent_name}.")).length, 1);
    await stage.update("service_role", "swarms", id, { settings: { preamble: "You are new." } });
  });

  it("have a coordinator from among their agents", async () => {
    const { stage } = opened;
    const owner = await stage.newUser();
    const [swarm_id, agent_id, outside] = [
      await stage.newSwarm(owner),
      await stage.newAgent(owner),
      await stage.newAgent(owner),
    ];
    const membership = await stage.insert(owner, "swarm_agents", { swarm_id, agent_id });
    const rejection = { ...violates("swarms_coordinator_agent_id_in_swarm"), column: "coordinator_agent_id" };
    await rejects(stage.update(owner, "swarms", swarm_id, { coordinator_agent_id: outside }), rejection);
    const coordinate = () => stage.update(owner, "swarms", swarm_id, { coordinator_agent_id: agent_id });
    const coordinator = async () => (await stage.find(owner, "swarms", swarm_id))?.["coordinator_agent_id"];
    await coordinate();
    await stage.remove(owner, "swarm_agents", membership.id);
    assert.equal(await coordinator(), null);
    await stage.insert(owner, "swarm_agents", { swarm_id, agent_id });
    await coordinate();
    await stage.remove(owner, "agents", agent_id);
    assert.equal(await coordinator(), null);
  });
});

describe("the agents of a swarm", () => {
  it("are added by the owner and admins from their own agents, at the end by default", async () => {
    const { stage } = opened;
    const [owner, admin, member] = [await stage.newUser(), await stage.newUser(), await stage.newUser()];
    const swarm_id = await stage.newSwarm(owner, { [admin]: "admin", [member]: "member" });
    const add = async (caller: string, agent_id: string, record = {}) =>
      stage.insert(caller, "swarm_agents", { swarm_id, agent_id, ...record });
    const first = await add(owner, await stage.newAgent(owner), { added_by: admin });
    const { id: _, agent_id: __, created_at: ___, ...rest } = first;
    assert.deepEqual(rest, {
      swarm_id,
      position: 0,
      enabled: true,
      role_override: null,
      added_by: owner,
    });
    assert.equal((await add(admin, await stage.newAgent(admin), { position: 7 }))["position"], 7);
    assert.equal((await add(admin, await stage.newAgent(admin)))["position"], 8);
    await rejects(add(owner, await stage.newAgent(member)), FORBIDDEN);
    await rejects(add(member, await stage.newAgent(member)), FORBIDDEN);
    await rejects(add(owner, randomUUID()), {
      code: "23503",
      constraint: "swarm_agents_agent_id_fkey",
      column: "agent_id",
    });
    await rejects(add(owner, String(first["agent_id"])), {
      code: "23505",
      constraint: "swarm_agents_swarm_id_agent_id_key",
    });
    await rejects(add(owner, await stage.newAgent(owner), { position: -1 }), violates("swarm_agents_position_range"));
    await rejects(
      add(owner, await stage.newAgent(owner), { role_override: "a".repeat(201) }),
      violates("swarm_agents_role_override_length"),
    );
    const internal = { swarm_id, agent_id: await stage.newAgent(member) };
    assert.equal((await stage.insert("internal", "public.swarm_agents", internal))["position"], 9);
  });

  it("are arranged by owner and admins; their own owner may withdraw them", async () => {
    const { stage } = opened;
    const [owner, member] = [await stage.newUser(), await stage.newUser()];
    const swarm_id = await stage.newSwarm(owner, { [member]: "member" });
    const agent_id = await stage.newAgent(member);
    const { id } = await stage.insert("service_role", "swarm_agents", { swarm_id, agent_id });
    await rejects(stage.update(member, "swarm_agents", id, { position: 3 }), FORBIDDEN);
    await stage.update(member, "swarm_agents", id, { enabled: false });
    await rejects(stage.update(member, "swarm_agents", id, { enabled: true }), FORBIDDEN);
    assert.equal((await stage.update(owner, "swarm_agents", id, { enabled: true, position: 3 }))[0]?.["position"], 3);
    await rejects(
      stage.update(owner, "swarm_agents", id, { agent_id: await stage.newAgent(owner) }),
      violates("swarm_agents_agent_id_immutable"),
    );
    const cards = await stage.run(owner, "select name, status from agent_cards where id = $1", [agent_id]);
    assert.deepEqual(cards, [{ name: "Ada", status: "idle" }]);
    const ask = `select public.agent_owner_id(jsonb_populate_record(null::public.swarm_agents,
      jsonb_build_object('id', $1::uuid))) as owner_id`;
    for (const [caller, told] of [
      [owner, member],
      [member, member],
      [await stage.newUser(), null],
    ] as const)
      assert.deepEqual(await stage.run(caller, ask, [id]), [{ owner_id: told }]);
    assert.equal(await stage.find(owner, "agents", agent_id), undefined);
    assert.equal((await stage.remove(member, "swarm_agents", id)).length, 1);
    assert.deepEqual(await stage.run(owner, "select name from agent_cards where id = $1", [agent_id]), []);
  });
});

describe("the members of a swarm", () => {
  const STATUS = { ...FORBIDDEN, column: "status" };

  it("are invited by owner and admins, and wait to accept", async () => {
    const { stage } = opened;
    const [owner, admin, guest, viewer] = [
      await stage.newUser(),
      await stage.newUser(),
      await stage.newUser(),
      await stage.newUser(),
    ];
    const swarm_id = await stage.newSwarm(owner, { [admin]: "admin", [viewer]: "viewer" });
    const sent = {
      swarm_id,
      user_id: guest,
      role: "member",
      status: "active",
      joined_at: new Date(),
      invited_by: owner,
    };
    const { id, created_at: _, ...rest } = await stage.insert(admin, "swarm_members", sent);
    assert.deepEqual(rest, {
      ...sent,
      invited_email: null,
      status: "invited",
      invited_by: admin,
      joined_at: null,
      expires_at: null,
    });
    assert.equal(await stage.find(guest, "swarms", swarm_id), undefined);
    for (const caller of [owner, admin])
      await rejects(stage.update(caller, "swarm_members", id, { status: "active" }), STATUS);
    assert.deepEqual(await stage.update(viewer, "swarm_members", id, { status: "active" }), []);
    await rejects(stage.update(guest, "swarm_members", id, { status: "active", role: "admin" }), {
      ...FORBIDDEN,
      column: "role",
    });
    const [accepted] = await stage.update(guest, "swarm_members", id, { status: "active" });
    assert.ok(accepted?.["joined_at"] instanceof Date);
    assert.notEqual(await stage.find(guest, "swarms", swarm_id), undefined);
    await rejects(stage.insert(viewer, "swarm_members", { swarm_id, user_id: await stage.newUser() }), FORBIDDEN);
    await rejects(stage.insert(guest, "swarm_members", { swarm_id, user_id: await stage.newUser() }), FORBIDDEN);
    await rejects(
      stage.insert(admin, "swarm_members", { swarm_id, user_id: await stage.newUser(), role: "owner" }),
      FORBIDDEN,
    );
    await rejects(stage.insert(owner, "swarm_members", { swarm_id, user_id: guest }), {
      code: "23505",
      constraint: "swarm_members_swarm_id_user_id_key",
    });
    await rejects(
      stage.insert(owner, "swarm_members", { swarm_id }),
      violates("swarm_members_user_id_or_invited_email"),
    );
    await rejects(
      stage.update(owner, "swarm_members", id, { status: "invited" }),
      violates("swarm_members_status_immutable"),
    );
  });

  it("cannot accept an invitation that has expired, and a new one replaces it", async () => {
    const { stage } = opened;
    const { database } = stage;
    await database.owner.query("insert into private.settings (name, value) values ('invitation_days', '7')");
    const [owner, guest] = [await stage.newUser(), await stage.newUser()];
    const swarm_id = await stage.newSwarm(owner);
    const { id, expires_at } = await stage.insert(owner, "swarm_members", { swarm_id, user_id: guest });
    assert.ok(expires_at instanceof Date && expires_at.getTime() - Date.now() > 6 * 24 * 3_600_000);
    const later = new Date(expires_at.getTime() + 1_000);
    await rejects(
      stage.update(owner, "swarm_members", id, { expires_at: later }),
      violates("swarm_members_expires_at_immutable"),
    );
    await rejects(stage.insert(owner, "swarm_members", { swarm_id, user_id: guest }), {
      code: "23505",
      constraint: "swarm_members_swarm_id_user_id_key",
    });
    await database.owner.query("update public.swarm_members set expires_at = now() where id = $1", [id]);
    await rejects(
      stage.update(guest, "swarm_members", id, { status: "active" }),
      violates("swarm_members_invitation_expired"),
    );
    assert.deepEqual(await stage.run(guest, "select * from swarm_invitations"), []);

    const again = await stage.insert(owner, "swarm_members", { swarm_id, user_id: guest });
    assert.notEqual(again.id, id);
    const [accepted] = await stage.update(guest, "swarm_members", again.id, { status: "active" });
    assert.equal(accepted?.["expires_at"], null);
    await database.owner.query("delete from private.settings where name = 'invitation_days'");
  });

  it("are invited by e-mail, and only the proven address accepts or declines", async () => {
    const { stage } = opened;
    const owner = await stage.newUser();
    const swarm_id = await stage.newSwarm(owner);
    const email = `${randomUUID()}@example.com`;
    const invite = (invited_email: string) => stage.insert(owner, "swarm_members", { swarm_id, invited_email });
    const { id, ...row } = await invite(` ${email.toUpperCase()}\u00a0`);
    assert.deepEqual([row["invited_email"], row["user_id"], row["status"]], [email, null, "invited"]);
    await rejects(invite(email), { code: "23505", constraint: "swarm_members_swarm_id_invited_email_key" });
    await rejects(invite("nobody"), violates("swarm_members_invited_email_format"));
    await rejects(stage.update(owner, "swarm_members", id, { status: "active" }), STATUS);
    const guest = await stage.newUser({ email, proven_email: null });
    assert.equal(await stage.find(guest, "swarm_members", id), undefined);
    assert.deepEqual(await stage.update(guest, "swarm_members", id, { status: "active" }), []);
    await stage.run("internal", "update auth.users set proven_email = email where id = $1", [guest]);
    const [accepted] = await stage.update(guest, "swarm_members", id, { status: "active" });
    assert.deepEqual([accepted?.["user_id"], accepted?.["status"]], [guest, "active"]);

    const second = `${randomUUID()}@example.com`;
    const declined = await invite(second);
    const other = await stage.newUser({ email: second });
    assert.deepEqual(await stage.remove(await stage.newUser(), "swarm_members", declined.id), []);
    assert.equal((await stage.remove(other, "swarm_members", declined.id)).length, 1);
  });

  it("keep one owner, who cannot leave, be demoted or removed", async () => {
    const { stage } = opened;
    const [owner, admin, member, internal] = [
      await stage.newUser(),
      await stage.newUser(),
      await stage.newUser(),
      await stage.newUser(),
    ];
    const swarm_id = await stage.newSwarm(owner, { [admin]: "admin", [member]: "member" });
    const membership = async (user: string) =>
      (
        await stage.run("internal", "select id from public.swarm_members where swarm_id = $1 and user_id = $2", [
          swarm_id,
          user,
        ])
      )[0]?.id;
    for (const caller of [owner, admin]) {
      assert.deepEqual(await stage.update(caller, "swarm_members", await membership(owner), { role: "admin" }), []);
      assert.deepEqual(await stage.remove(caller, "swarm_members", await membership(owner)), []);
    }
    await rejects(stage.update(owner, "swarm_members", await membership(admin), { role: "owner" }), FORBIDDEN);
    const add = { swarm_id, user_id: internal, status: "active" };
    await rejects(stage.insert("internal", "public.swarm_members", { ...add, role: "owner" }), {
      code: "23505",
      constraint: "swarm_members_one_owner",
    });
    await rejects(
      stage.insert("service_role", "swarm_members", { ...add, role: "boss" }),
      violates("swarm_members_role_known"),
    );
    await rejects(
      stage.insert("service_role", "swarm_members", { ...add, user_id: null, invited_email: "a@b.c" }),
      violates("swarm_members_active_has_user_id"),
    );
    assert.ok((await stage.insert("service_role", "swarm_members", add))["joined_at"] instanceof Date);
    await rejects(stage.update(member, "swarm_members", await membership(member), { role: "admin" }), {
      ...FORBIDDEN,
      column: "role",
    });
    assert.equal(
      (await stage.update(admin, "swarm_members", await membership(member), { role: "viewer" }))[0]?.["role"],
      "viewer",
    );
    assert.deepEqual(await stage.remove(member, "swarm_members", await membership(admin)), []);
    assert.equal((await stage.remove(member, "swarm_members", await membership(member))).length, 1);
    assert.equal((await stage.remove(admin, "swarm_members", await membership(internal))).length, 1);
    for (const [column, value] of Object.entries({
      swarm_id: await stage.newSwarm(owner),
      user_id: member,
      invited_by: member,
    }))
      await rejects(
        stage.update(owner, "swarm_members", await membership(admin), { [column]: value }),
        violates(`swarm_members_${column}_immutable`),
      );
  });
});
