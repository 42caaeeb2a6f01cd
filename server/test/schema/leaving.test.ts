import { all, type EventCase, SYSTEM, testEvents, user } from "./support/event-cases.ts";
import type { SwarmFixture } from "./support/swarm-fixture.ts";

/** The member's agent has a place in the swarm, as it would after the member was an admin once. */
async function addMemberAgent({ stage, member, swarm }: SwarmFixture): Promise<string> {
  const agent = await stage.newAgent(member, { name: "Max" });
  await stage.insert("service_role", "swarm_agents", { swarm_id: swarm, agent_id: agent });
  await stage.takeEvents();
  return agent;
}

const leave = (fixture: SwarmFixture, caller: string): Promise<unknown> =>
  fixture.stage.run(caller, "delete from public.swarm_members where swarm_id = $1 and user_id = $2", [
    fixture.swarm,
    fixture.member,
  ]);
const empty = ({ stage }: SwarmFixture, id: string): Promise<unknown> =>
  stage.run("internal", "update auth.users set deleted_at = now(), email = null where id = $1", [id]);

const agentRemoved = (fixture: SwarmFixture, agent_name: string, actor: unknown) => ({
  type: "swarm.agent_removed",
  to: all(fixture),
  data: { swarm_id: fixture.swarm, agent_name, reason: "removed", actor },
});

const LEAVING: readonly EventCase[] = [
  {
    name: "a member who is removed takes their agents along, and hears of both",
    act: async (fixture) => {
      await addMemberAgent(fixture);
      await leave(fixture, fixture.admin);
    },
    expect: (fixture) => [
      agentRemoved(fixture, "Max", user(fixture.admin)),
      {
        type: "user.removed",
        to: all(fixture),
        data: { user_id: fixture.member, reason: "removed", actor: user(fixture.admin) },
      },
    ],
  },
  {
    name: "a member who leaves does too",
    act: async (fixture) => {
      await addMemberAgent(fixture);
      await leave(fixture, fixture.member);
    },
    expect: (fixture) => [
      agentRemoved(fixture, "Max", user(fixture.member)),
      { type: "user.removed", to: all(fixture), data: { user_id: fixture.member, reason: "left" } },
    ],
  },
  {
    name: "the coordinator's place is empty after that",
    act: async (fixture) => {
      const agent = await addMemberAgent(fixture);
      await fixture.stage.update(fixture.owner, "swarms", fixture.swarm, { coordinator_agent_id: agent });
      await fixture.stage.takeEvents();
      await leave(fixture, fixture.owner);
      const swarm = await fixture.stage.find(fixture.owner, "swarms", fixture.swarm);
      if (swarm?.["coordinator_agent_id"] !== null) throw new Error("the coordinator stayed");
    },
    expect: (fixture) => [
      agentRemoved(fixture, "Max", user(fixture.owner)),
      { type: "user.removed", to: all(fixture), data: { reason: "removed" } },
    ],
  },
  {
    name: "an account that is emptied leaves, with its agents",
    act: async (fixture) => {
      await addMemberAgent(fixture);
      await empty(fixture, fixture.member);
    },
    expect: (fixture) => [
      agentRemoved(fixture, "Max", SYSTEM),
      {
        type: "user.removed",
        to: all(fixture),
        data: { user_id: fixture.member, role: "member", reason: "account_deleted", actor: SYSTEM },
      },
    ],
  },
  {
    name: "an owner's account that is emptied leaves the fixture to the others, without its agents",
    act: (fixture) => empty(fixture, fixture.owner),
    expect: (fixture) => [agentRemoved(fixture, "Ada", SYSTEM)],
  },
  {
    name: "an account that is deleted goes as before: its agents are deleted, not removed",
    act: async (fixture) => {
      await addMemberAgent(fixture);
      await fixture.stage.run("internal", "delete from public.webhooks where user_id = $1", [fixture.member]);
      await fixture.stage.run("internal", "delete from auth.users where id = $1", [fixture.member]);
      const [agentGone, ...rest] = await fixture.stage.takeEvents();
      const reasons = [agentGone?.data["reason"], rest.at(-1)?.data["reason"]];
      if (reasons.join() !== "agent_deleted,account_deleted") throw new Error(JSON.stringify([agentGone, rest]));
    },
  },
  {
    name: "a swarm that goes takes everybody without a word",
    act: async (fixture) => {
      await addMemberAgent(fixture);
      await fixture.stage.remove(fixture.owner, "swarms", fixture.swarm);
    },
    expect: (fixture) => [{ type: "swarm.deleted", to: all(fixture) }],
  },
];

testEvents({ "people who leave": LEAVING });
