import { all, type EventCase, SYSTEM, testEvents, user } from "./support/event-cases.ts";
import type { Room } from "./support/room.ts";

/** The member's agent has a place in the room, as it would after the member was an admin once. */
async function seatMemberAgent({ stage, member, swarm }: Room): Promise<string> {
  const agent = await stage.newAgent(member, { name: "Max" });
  await stage.insert("service_role", "swarm_agents", { swarm_id: swarm, agent_id: agent });
  await stage.takeEvents();
  return agent;
}

const leave = (room: Room, caller: string): Promise<unknown> =>
  room.stage.run(caller, "delete from public.swarm_members where swarm_id = $1 and user_id = $2", [
    room.swarm,
    room.member,
  ]);
const empty = ({ stage }: Room, id: string): Promise<unknown> =>
  stage.run("internal", "update auth.users set deleted_at = now(), email = null where id = $1", [id]);

const agentRemoved = (room: Room, agent_name: string, actor: unknown) => ({
  type: "swarm.agent_removed",
  to: all(room),
  data: { swarm_id: room.swarm, agent_name, reason: "removed", actor },
});

const LEAVING: readonly EventCase[] = [
  {
    name: "a member who is removed takes their agents along, and hears of both",
    act: async (room) => {
      await seatMemberAgent(room);
      await leave(room, room.admin);
    },
    expect: (room) => [
      agentRemoved(room, "Max", user(room.admin)),
      {
        type: "user.removed",
        to: all(room),
        data: { user_id: room.member, reason: "removed", actor: user(room.admin) },
      },
    ],
  },
  {
    name: "a member who leaves does too",
    act: async (room) => {
      await seatMemberAgent(room);
      await leave(room, room.member);
    },
    expect: (room) => [
      agentRemoved(room, "Max", user(room.member)),
      { type: "user.removed", to: all(room), data: { user_id: room.member, reason: "left" } },
    ],
  },
  {
    name: "the coordinator's place is empty after that",
    act: async (room) => {
      const agent = await seatMemberAgent(room);
      await room.stage.update(room.owner, "swarms", room.swarm, { coordinator_agent_id: agent });
      await room.stage.takeEvents();
      await leave(room, room.owner);
      const swarm = await room.stage.find(room.owner, "swarms", room.swarm);
      if (swarm?.["coordinator_agent_id"] !== null) throw new Error("the coordinator stayed");
    },
    expect: (room) => [
      agentRemoved(room, "Max", user(room.owner)),
      { type: "user.removed", to: all(room), data: { reason: "removed" } },
    ],
  },
  {
    name: "an account that is emptied leaves, with its agents",
    act: async (room) => {
      await seatMemberAgent(room);
      await empty(room, room.member);
    },
    expect: (room) => [
      agentRemoved(room, "Max", SYSTEM),
      {
        type: "user.removed",
        to: all(room),
        data: { user_id: room.member, role: "member", reason: "account_deleted", actor: SYSTEM },
      },
    ],
  },
  {
    name: "an owner's account that is emptied leaves the room to the others, without its agents",
    act: (room) => empty(room, room.owner),
    expect: (room) => [agentRemoved(room, "Ada", SYSTEM)],
  },
  {
    name: "an account that is deleted goes as before: its agents are deleted, not removed",
    act: async (room) => {
      await seatMemberAgent(room);
      await room.stage.run("internal", "delete from public.webhooks where user_id = $1", [room.member]);
      await room.stage.run("internal", "delete from auth.users where id = $1", [room.member]);
      const [agentGone, ...rest] = await room.stage.takeEvents();
      const reasons = [agentGone?.data["reason"], rest.at(-1)?.data["reason"]];
      if (reasons.join() !== "agent_deleted,account_deleted") throw new Error(JSON.stringify([agentGone, rest]));
    },
  },
  {
    name: "a swarm that goes takes everybody without a word",
    act: async (room) => {
      await seatMemberAgent(room);
      await room.stage.remove(room.owner, "swarms", room.swarm);
    },
    expect: (room) => [{ type: "swarm.deleted", to: all(room) }],
  },
];

testEvents({ "people who leave": LEAVING });
