import { all, type EventCase, SERVICE, SYSTEM, testEvents, user } from "./support/event-cases.ts";
import type { SwarmFixture } from "./support/swarm-fixture.ts";

const membership = async ({ stage, swarm }: SwarmFixture, user_id: string): Promise<string> => {
  const rows = await stage.run("internal", "select id from public.swarm_members where swarm_id = $1 and user_id = $2", [
    swarm,
    user_id,
  ]);
  return rows[0]!.id;
};

const SWARMS: readonly EventCase[] = [
  {
    name: "a new swarm, without its owner's membership",
    act: ({ stage, member }) => stage.insert(member, "swarms", { name: "New", strategy: "mention" }),
    expect: ({ member }) => [
      {
        type: "swarm.created",
        to: [member],
        data: { name: "New", owner_id: member, strategy: "mention", actor: user(member) },
      },
    ],
  },
  {
    name: "a change",
    act: ({ stage, admin, swarm }) => stage.update(admin, "swarms", swarm, { name: "Other", status: "paused" }),
    expect: (fixture) => [
      {
        type: "swarm.updated",
        to: all(fixture),
        data: { swarm_id: fixture.swarm, changed_fields: ["name", "status"], actor: user(fixture.admin) },
      },
    ],
  },
  {
    name: "a change that changes nothing",
    act: ({ stage, owner, swarm }) => stage.update(owner, "swarms", swarm, { name: "Room" }),
  },
  {
    name: "completion by hand",
    act: ({ stage, owner, swarm }) => stage.update(owner, "swarms", swarm, { status: "completed" }),
    expect: (fixture) => [
      {
        type: "swarm.completed",
        to: all(fixture),
        data: { run_id: null, source: "manual", actor: user(fixture.owner) },
      },
    ],
  },
  {
    name: "completion with another change",
    act: ({ stage, owner, swarm }) => stage.update(owner, "swarms", swarm, { status: "completed", name: "Done" }),
    expect: (fixture) => [
      { type: "swarm.completed", to: all(fixture) },
      { type: "swarm.updated", to: all(fixture), data: { changed_fields: ["name"] } },
    ],
  },
  {
    name: "a deletion, and nothing of what goes with it",
    act: ({ stage, owner, swarm }) => stage.remove(owner, "swarms", swarm),
    expect: (fixture) => [
      {
        type: "swarm.deleted",
        to: all(fixture),
        data: { swarm_id: fixture.swarm, name: "Room", owner_id: fixture.owner, actor: user(fixture.owner) },
      },
    ],
  },
  {
    name: "an agent that comes",
    act: async ({ stage, admin, swarm }) => {
      const agent_id = await stage.newAgent(admin, { name: "Bob" });
      await stage.takeEvents();
      await stage.insert(admin, "swarm_agents", { swarm_id: swarm, agent_id });
    },
    expect: (fixture) => [
      {
        type: "swarm.agent_added",
        to: all(fixture),
        data: { agent_name: "Bob", position: 1, actor: user(fixture.admin) },
      },
    ],
  },
  { name: "an agent that moves", act: ({ stage, owner }) => stage.run(owner, "update swarm_agents set position = 5") },
  {
    name: "an agent that leaves",
    act: ({ stage, admin, swarm }) => stage.run(admin, "delete from swarm_agents where swarm_id = $1", [swarm]),
    expect: (fixture) => [
      {
        type: "swarm.agent_removed",
        to: all(fixture),
        data: { agent_id: fixture.agent, agent_name: "Ada", reason: "removed", actor: user(fixture.admin) },
      },
    ],
  },
];

const MEMBERS: readonly EventCase[] = [
  {
    name: "an invitation",
    act: ({ stage, owner, outsider, swarm }) =>
      stage.insert(owner, "swarm_members", { swarm_id: swarm, user_id: outsider }),
  },
  {
    name: "an invitation accepted",
    act: async ({ stage, owner, outsider, swarm }) => {
      const { id } = await stage.insert(owner, "swarm_members", { swarm_id: swarm, user_id: outsider });
      await stage.update(outsider, "swarm_members", id, { status: "active" });
    },
    expect: (fixture) => [
      {
        type: "user.joined",
        to: [...all(fixture), fixture.outsider],
        data: { user_id: fixture.outsider, role: "member", actor: user(fixture.outsider) },
      },
    ],
  },
  {
    name: "an invitation declined",
    act: async ({ stage, owner, outsider, swarm }) => {
      const { id } = await stage.insert(owner, "swarm_members", { swarm_id: swarm, user_id: outsider });
      await stage.remove(outsider, "swarm_members", id);
    },
  },
  {
    name: "a member added by the service",
    act: ({ stage, outsider, swarm }) =>
      stage.insert("service_role", "swarm_members", { swarm_id: swarm, user_id: outsider, status: "active" }),
    expect: (fixture) => [{ type: "user.joined", to: [...all(fixture), fixture.outsider], data: { actor: SERVICE } }],
  },
  { name: "a new account", act: ({ stage }) => stage.newUser() },
  {
    name: "another role",
    act: async (fixture) =>
      fixture.stage.update(fixture.owner, "swarm_members", await membership(fixture, fixture.viewer), {
        role: "admin",
      }),
    expect: (fixture) => [
      {
        type: "user.role_changed",
        to: all(fixture),
        data: { user_id: fixture.viewer, role: "admin", previous_role: "viewer" },
      },
    ],
  },
  {
    name: "the same role",
    act: async (fixture) =>
      fixture.stage.update(fixture.owner, "swarm_members", await membership(fixture, fixture.viewer), {
        role: "viewer",
      }),
  },
  {
    name: "a removed member, who also receives the event",
    act: async (fixture) =>
      fixture.stage.remove(fixture.admin, "swarm_members", await membership(fixture, fixture.member)),
    expect: (fixture) => [
      {
        type: "user.removed",
        to: all(fixture),
        data: { user_id: fixture.member, role: "member", reason: "removed", actor: user(fixture.admin) },
      },
    ],
  },
  {
    name: "a member who leaves",
    act: async (fixture) =>
      fixture.stage.remove(fixture.member, "swarm_members", await membership(fixture, fixture.member)),
    expect: (fixture) => [{ type: "user.removed", to: all(fixture), data: { reason: "left" } }],
  },
  {
    name: "several members removed at once",
    act: (fixture) =>
      fixture.stage.run(fixture.owner, "delete from swarm_members where user_id = any ($1)", [
        [fixture.member, fixture.viewer],
      ]),
    expect: (fixture) => [
      { type: "user.removed", to: all(fixture) },
      { type: "user.removed", to: all(fixture) },
    ],
  },
  {
    name: "a deleted account",
    act: ({ stage, member }) => stage.run("internal", "delete from auth.users where id = $1", [member]),
    expect: (fixture) => [
      {
        type: "user.removed",
        to: all(fixture),
        data: { user_id: fixture.member, reason: "account_deleted", actor: SYSTEM },
      },
    ],
  },
];

testEvents({ swarms: SWARMS, members: MEMBERS });
