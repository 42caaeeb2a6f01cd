import { rows, type TableOperations } from "./rows.ts";

export const SWARM_OPERATIONS: Readonly<Record<string, TableOperations>> = {
  "public.swarms": rows("public.swarms", {
    where: "id = :room",
    insert: "(owner_id, name) values (:caller, 'New')",
    update: "name = 'renamed'",
    more: {
      "insert for owner": "insert into public.swarms (owner_id, name) values (:owner, 'New')",
      "update owner": "update public.swarms set owner_id = :newcomer where id = :room",
      "take over": "update public.swarms set owner_id = :caller where id = :room",
      "update coordinator": "update public.swarms set coordinator_agent_id = :memberAgent where id = :room",
      "coordinator from outside": "update public.swarms set coordinator_agent_id = :someoneSpare where id = :room",
    },
  }),
  "public.swarm_members": rows("public.swarm_members", {
    where: "id = :memberSeat",
    insert: "(swarm_id, user_id, role) values (:room, :newcomer, 'member')",
    update: "role = 'viewer'",
    more: {
      "select invitation": "select 1 from public.swarm_members where id = :invitedSeat",
      "select e-mail invitation": "select 1 from public.swarm_members where id = :emailSeat",
      "insert oneself": "insert into public.swarm_members (swarm_id, user_id) values (:elsewhere, :caller)",
      "insert e-mail":
        "insert into public.swarm_members (swarm_id, invited_email) values (:room, 'newcomer@example.test')",
      "insert admin": "insert into public.swarm_members (swarm_id, user_id, role) values (:room, :newcomer, 'admin')",
      "insert owner": "insert into public.swarm_members (swarm_id, user_id, role) values (:room, :newcomer, 'owner')",
      "insert as active": {
        statement: "insert into public.swarm_members (swarm_id, user_id, status) values (:room, :newcomer, 'active')",
        check: "select 1 from public.swarm_members where user_id = :newcomer and status = 'active'",
      },
      "update role to owner": "update public.swarm_members set role = 'owner' where id = :memberSeat",
      "update own role": "update public.swarm_members set role = 'admin' where swarm_id = :room and user_id = :caller",
      "update role of owner":
        "update public.swarm_members set role = 'member' where swarm_id = :room and role = 'owner'",
      "accept invitation": "update public.swarm_members set status = 'active' where id = :invitedSeat",
      "accept e-mail invitation": "update public.swarm_members set status = 'active' where id = :emailSeat",
      "accept as admin": "update public.swarm_members set status = 'active', role = 'admin' where id = :invitedSeat",
      "update swarm": "update public.swarm_members set swarm_id = :elsewhere where id = :memberSeat",
      "update user": "update public.swarm_members set user_id = :newcomer where id = :memberSeat",
      "delete own": "delete from public.swarm_members where swarm_id = :room and user_id = :caller",
      "delete owner": "delete from public.swarm_members where swarm_id = :room and role = 'owner'",
      "delete invitation": "delete from public.swarm_members where id = :invitedSeat",
      "delete e-mail invitation": "delete from public.swarm_members where id = :emailSeat",
    },
  }),
  "public.swarm_invitations": rows("public.swarm_invitations", {
    where: "id = :invitedSeat",
    insert: "(swarm_id, swarm_name) values (:room, 'x')",
    update: "swarm_name = 'x'",
    more: { "select by e-mail": "select 1 from public.swarm_invitations where id = :emailSeat" },
  }),
  "public.swarm_agents": rows("public.swarm_agents", {
    where: "id = :ownerAgentSeat",
    insert: "(swarm_id, agent_id) values (:room, :callerSpare)",
    update: "position = 7",
    more: {
      "insert foreign agent": "insert into public.swarm_agents (swarm_id, agent_id) values (:room, :someoneSpare)",
      "insert for owner":
        "insert into public.swarm_agents (swarm_id, agent_id, user_id) values (:room, :someoneSpare, :owner)",
      "disable member's": "update public.swarm_agents set enabled = false where id = :memberAgentSeat",
      "enable member's": "update public.swarm_agents set enabled = true where id = :memberIdleAgentSeat",
      "update member's": "update public.swarm_agents set position = 7 where id = :memberAgentSeat",
      "update swarm": "update public.swarm_agents set swarm_id = :elsewhere where id = :memberAgentSeat",
      "update agent":
        "update public.swarm_agents set (agent_id, user_id) = (:memberSpare, :member) where id = :memberAgentSeat",
      "delete member's": "delete from public.swarm_agents where id = :memberAgentSeat",
    },
  }),
};
