import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { openRestStage, SERVICE } from "../rest/features/rest-stage.ts";
import { openWorld, type Row } from "./support/swarms.ts";

const FORBIDDEN = "403 FORBIDDEN";

describe("swarms over REST", () => {
  const opened = openRestStage();

  it("roles decide who may change and delete a swarm, and others get 403", async () => {
    const world = await openWorld(opened.stage);
    const { owner, admin, member, viewer, stranger } = world.people;
    const line = `/swarms?id=eq.${world.swarm}`;
    for (const user of [owner, admin]) await world.one(user, `PATCH ${line}`, { description: user.userId });
    for (const user of [member, viewer])
      assert.equal(await world.outcome(user, `PATCH ${line}`, { name: "x" }), FORBIDDEN);
    for (const user of [admin, member, viewer]) assert.equal(await world.outcome(user, `DELETE ${line}`), FORBIDDEN);
    // A stranger gets the same responses as for a missing swarm.
    for (const ask of [`GET ${line}`, `DELETE ${line}`, `DELETE /swarms?id=eq.${randomUUID()}`])
      assert.deepEqual(await world.outcome(stranger, ask), [], ask);
    assert.deepEqual(await world.outcome(stranger, `PATCH ${line}`, { name: "x" }), []);
    assert.equal(await world.outcome(owner, `PATCH ${line}`, { owner_id: admin.userId }), FORBIDDEN);
    assert.deepEqual((await world.ask(owner, `DELETE ${line}`, undefined, { prefer: "" })).status, 204);
  });

  it("members are invited by id or e-mail address, and only the invited user accepts", async () => {
    const world = await openWorld(opened.stage);
    const { owner, admin, member, viewer, stranger } = world.people;
    const newcomer = await opened.stage.addUser("Newcomer@example.test".toLowerCase());
    await opened.stage.run("update auth.users set proven_email = email where id = $1", [newcomer.userId]);
    const invite = (as: typeof owner, row: Record<string, unknown>) =>
      world.outcome(as, "POST /swarm_members", { swarm_id: world.swarm, ...row });

    for (const user of [member, viewer, stranger])
      assert.equal(await invite(user, { user_id: stranger.userId }), FORBIDDEN);
    for (const user of [owner, admin])
      assert.equal(await invite(user, { user_id: stranger.userId, role: "owner" }), FORBIDDEN);
    assert.equal(await invite(owner, {}), "400 VALIDATION_ERROR");
    assert.equal(await invite(owner, { user_id: randomUUID() }), "400 VALIDATION_ERROR");
    assert.equal(await invite(owner, { user_id: member.userId }), "409 23505");

    // Nothing reveals whether the address has an account.
    const [known] = (await invite(admin, { email: " Newcomer@Example.test", role: "admin" })) as Row[];
    const [unknown] = (await invite(admin, { email: "nobody@example.test", role: "admin" })) as Row[];
    const shown = ({ id, invited_email, created_at, ...rest }: Row) => [
      rest,
      id !== "",
      created_at !== null,
      invited_email,
    ];
    assert.deepEqual(shown(known as Row).slice(0, 3), shown(unknown as Row).slice(0, 3));
    assert.deepEqual([known?.["user_id"], known?.["status"], known?.["invited_by"]], [null, "invited", admin.userId]);

    const membership = `/swarm_members?id=eq.${known?.id}`;
    assert.deepEqual(await world.outcome(stranger, `PATCH ${membership}`, { status: "active" }), []);
    assert.equal(await world.outcome(owner, `PATCH ${membership}`, { status: "active" }), FORBIDDEN);
    assert.deepEqual(await world.outcome(newcomer, `GET /messages?swarm_id=eq.${world.swarm}`), []);
    assert.equal(((await world.outcome(newcomer, `GET ${membership}`)) as Row[]).length, 1);
    assert.equal(await world.outcome(newcomer, `PATCH ${membership}`, { status: "active", role: "viewer" }), FORBIDDEN);
    const joined = await world.one(newcomer, `PATCH ${membership}`, { status: "active" });
    assert.deepEqual(
      [joined["user_id"], joined["invited_email"], joined["role"], joined["joined_at"] !== null],
      [newcomer.userId, null, "admin", true],
    );
    assert.equal(((await world.outcome(newcomer, `GET /swarms?id=eq.${world.swarm}`)) as Row[]).length, 1);
  });

  it("an invited user reads the names of the swarm and the inviter, and nothing else", async () => {
    const world = await openWorld(opened.stage);
    const { admin, member, stranger } = world.people;
    const [invited, unproven] = await Promise.all(
      ["invitee@example.test", "unproven@example.test"].map((email) => opened.stage.addUser(email)),
    );
    assert.ok(invited !== undefined && unproven !== undefined);
    await opened.stage.run("update auth.users set proven_email = email where id = $1", [invited.userId]);
    await opened.stage.run("update auth.users set email_confirmed_at = now() where id = $1", [unproven.userId]);
    const [invitation] = (await world.outcome(
      admin,
      "POST /swarm_members",
      ["invitee@example.test", "unproven@example.test"].map((email) => ({
        swarm_id: world.swarm,
        email,
        role: "viewer",
      })),
    )) as Row[];
    await opened.stage.run("update public.profiles set full_name = 'Ada L' where id = $1", [admin.userId]);
    const [swarm] = (await world.outcome(admin, `GET /swarms?id=eq.${world.swarm}`)) as Row[];
    const read = (user: typeof admin) => world.outcome(user, `GET /swarm_invitations?swarm_id=eq.${world.swarm}`);
    assert.deepEqual(await read(invited), [
      {
        id: invitation?.id,
        swarm_id: world.swarm,
        swarm_name: swarm?.["name"],
        role: "viewer",
        inviter_name: "Ada L",
        created_at: invitation?.["created_at"],
        expires_at: null,
      },
    ]);
    for (const user of [admin, member, stranger, unproven]) assert.deepEqual(await read(user), []);
    for (const table of ["swarms?id", "messages?swarm_id", "swarm_agents?swarm_id", "public_profiles?id"])
      assert.deepEqual(await world.outcome(invited, `GET /${table}=in.(${world.swarm},${admin.userId})`), [], table);
    await world.one(invited, `PATCH /swarm_members?id=eq.${invitation?.id}`, { status: "active" });
    assert.deepEqual(await read(invited), []);
  });

  it("members change lower roles than their own and can leave, except the owner", async () => {
    const world = await openWorld(opened.stage);
    const { owner, admin, member, viewer } = world.people;
    const memberships = {
      owner: await world.membershipOf(owner),
      admin: await world.membershipOf(admin),
      member: await world.membershipOf(member),
      viewer: await world.membershipOf(viewer),
    };
    const change = (as: typeof owner, membership: string, body: Record<string, unknown>) =>
      world.outcome(as, `PATCH /swarm_members?id=eq.${membership}`, body);
    const remove = (as: typeof owner, membership: string) =>
      world.outcome(as, `DELETE /swarm_members?id=eq.${membership}`);
    assert.equal(await change(admin, memberships.owner, { role: "member" }), FORBIDDEN);
    assert.equal(await change(admin, memberships.admin, { role: "owner" }), FORBIDDEN);
    assert.equal(await change(member, memberships.member, { role: "admin" }), FORBIDDEN);
    assert.equal(await change(viewer, memberships.member, { role: "viewer" }), FORBIDDEN);
    assert.equal(await change(owner, memberships.member, { status: "invited" }), "400 VALIDATION_ERROR");
    assert.equal(((await change(admin, memberships.member, { role: "admin" })) as Row[])[0]?.["role"], "admin");
    assert.equal(((await change(owner, memberships.member, { role: "member" })) as Row[])[0]?.["role"], "member");
    for (const user of [owner, admin]) assert.equal(await remove(user, memberships.owner), FORBIDDEN);
    assert.equal(await remove(member, memberships.viewer), FORBIDDEN);
    assert.equal(((await remove(member, memberships.member)) as Row[]).length, 1);
    assert.deepEqual(await world.outcome(member, `GET /swarms?id=eq.${world.swarm}`), []);
    assert.equal(((await remove(admin, memberships.viewer)) as Row[]).length, 1);
  });

  it("owners of agents who manage the swarm add, order and remove agents, including the coordinator", async () => {
    const world = await openWorld(opened.stage);
    const { owner, admin, member } = world.people;
    const [first, second, third, foreign] = [
      await world.addAgent(owner, "First"),
      await world.addAgent(owner, "Second"),
      await world.addAgent(admin, "Third"),
      await world.addAgent(member, "Foreign"),
    ];
    const add = (as: typeof owner, agent: Row) =>
      world.outcome(as, "POST /swarm_agents", { swarm_id: world.swarm, agent_id: agent.id });
    assert.equal(await add(owner, foreign), "403 PERMISSION_DENIED");
    assert.equal(await add(member, foreign), FORBIDDEN);
    const places: Row[] = [];
    for (const [as, agent] of [
      [owner, first],
      [owner, second],
      [admin, third],
    ] as const)
      places.push(...((await add(as, agent)) as Row[]));
    assert.deepEqual(
      places.map(({ position }) => position),
      [0, 1, 2],
    );
    assert.equal(await add(owner, first), "409 23505");
    const order = places.map(({ id }, at) => ({ id, position: places.length - at }));
    assert.equal(((await world.outcome(admin, "PATCH /swarm_agents", order)) as Row[]).length, 3);
    const names = (await world.outcome(
      member,
      `GET /swarm_agents?swarm_id=eq.${world.swarm}&select=agent_cards(name)&order=position`,
    )) as unknown as { agent_cards: { name: string } }[];
    assert.deepEqual(
      names.map(({ agent_cards }) => agent_cards.name),
      ["Third", "Second", "First"],
    );
    assert.equal(
      await world.outcome(member, `PATCH /swarm_agents?id=eq.${places[0]?.id}`, { enabled: false }),
      FORBIDDEN,
    );
    assert.equal(await world.outcome(member, `DELETE /swarm_agents?id=eq.${places[0]?.id}`), FORBIDDEN);
    const coordinate = (agent: Row) =>
      world.outcome(admin, `PATCH /swarms?id=eq.${world.swarm}`, { coordinator_agent_id: agent.id });
    assert.equal(await coordinate(foreign), "400 VALIDATION_ERROR");
    assert.equal(((await coordinate(first)) as Row[])[0]?.["coordinator_agent_id"], first.id);
    const gone = `DELETE /swarm_agents?swarm_id=eq.${world.swarm}&agent_id=eq.${first.id}`;
    assert.equal(((await world.outcome(owner, gone)) as Row[]).length, 1);
    assert.equal((await world.one(owner, `GET /swarms?id=eq.${world.swarm}`))["coordinator_agent_id"], null);
  });

  it("one read returns a swarm with its visible agents, members and last messages", async () => {
    const world = await openWorld(opened.stage);
    const { owner, member, viewer } = world.people;
    await world.one(member, `PATCH /profiles?id=eq.${member.userId}`, { full_name: "Max" });
    const agent = await world.addAgent(owner, "Ada");
    await world.one(owner, "POST /swarm_agents", { swarm_id: world.swarm, agent_id: agent.id });
    for (const content of ["one", "two", "three"]) await world.say(member, content);
    const select =
      "name,swarm_agents(position,agent_cards(*)),swarm_members(role,public_profiles(*)),messages(seq,content,sender_name,agent_cards(name),public_profiles(full_name))";
    const room = (await world.one(
      viewer,
      `GET /swarms?id=eq.${world.swarm}&select=${select}&messages.order=seq.desc&messages.limit=2&swarm_members.order=role`,
    )) as unknown as Record<string, Record<string, unknown>[]>;
    assert.deepEqual(room["swarm_agents"], [
      { position: 0, agent_cards: { id: agent.id, name: "Ada", role: null, avatar: null, status: "idle" } },
    ]);
    const spokenByMax = { sender_name: "Max", agent_cards: null, public_profiles: { full_name: "Max" } };
    assert.deepEqual(room["messages"], [
      { seq: 3, content: "three", ...spokenByMax },
      { seq: 2, content: "two", ...spokenByMax },
    ]);
    const seen = room["swarm_members"]?.find(({ role }) => role === "member");
    assert.deepEqual(seen?.["public_profiles"], { id: member.userId, full_name: "Max", avatar_url: null });
    // Cards describe the agents of others; only their owners read the agents themselves.
    assert.deepEqual(await world.outcome(viewer, `GET /agents?id=eq.${agent.id}`), []);
  });

  it("settings are checked key by key over REST", async () => {
    const world = await openWorld(opened.stage);
    const { status, json } = await world.ask(world.people.owner, `PATCH /swarms?id=eq.${world.swarm}`, {
      settings: { max_turns: 51, moderation: { blocklist: [1] }, ours: true },
    });
    assert.equal(status, 400);
    const { code, details } = json as { code: string; details: Record<string, string> };
    assert.equal(code, "VALIDATION_ERROR");
    assert.deepEqual(Object.keys(details), ["settings.max_turns", "settings.moderation.blocklist"]);
    assert.equal(
      (await world.one(SERVICE, `GET /swarms?id=eq.${world.swarm}&select=id,settings`))["max_turns"],
      undefined,
    );
  });
});
