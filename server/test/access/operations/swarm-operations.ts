import { rows, type TableOperations } from "./rows.ts";

export const SWARM_OPERATIONS: Readonly<Record<string, TableOperations>> = {
  "public.swarms": rows("public.swarms", {
    where: "id = :swarm",
    insert: "(owner_id, name) values (:caller, 'New')",
    update: "name = 'renamed'",
    more: {
      "insert for owner": "insert into public.swarms (owner_id, name) values (:owner, 'New')",
      "update owner": "update public.swarms set owner_id = :newcomer where id = :swarm",
      "take over": "update public.swarms set owner_id = :caller where id = :swarm",
      "update coordinator": "update public.swarms set coordinator_agent_id = :memberAgent where id = :swarm",
      "coordinator from outside": "update public.swarms set coordinator_agent_id = :someoneSpare where id = :swarm",
      "select sub-task": "select 1 from public.swarms where id in (:task, :ownTask)",
      "insert sub-task": "insert into public.swarms (owner_id, name, parent_run_id) values (:caller, 'New', :run)",
      "update sub-task": "update public.swarms set name = 'renamed' where id in (:task, :ownTask)",
      "delete sub-task": "delete from public.swarms where id in (:task, :ownTask)",
      "update parent": "update public.swarms set parent_run_id = :run where id = :swarm",
    },
  }),
  "public.swarm_members": rows("public.swarm_members", {
    where: "id = :memberMembership",
    insert: "(swarm_id, user_id, role) values (:swarm, :newcomer, 'member')",
    update: "role = 'viewer'",
    more: {
      "select invitation": "select 1 from public.swarm_members where id = :invitedMembership",
      "select e-mail invitation": "select 1 from public.swarm_members where id = :emailMembership",
      "insert oneself": "insert into public.swarm_members (swarm_id, user_id) values (:elsewhere, :caller)",
      "insert into sub-task": "insert into public.swarm_members (swarm_id, user_id) values (:ownTask, :newcomer)",
      "insert e-mail":
        "insert into public.swarm_members (swarm_id, invited_email) values (:swarm, 'newcomer@example.test')",
      "insert admin": "insert into public.swarm_members (swarm_id, user_id, role) values (:swarm, :newcomer, 'admin')",
      "insert owner": "insert into public.swarm_members (swarm_id, user_id, role) values (:swarm, :newcomer, 'owner')",
      "insert as active": {
        statement: "insert into public.swarm_members (swarm_id, user_id, status) values (:swarm, :newcomer, 'active')",
        check: "select 1 from public.swarm_members where user_id = :newcomer and status = 'active'",
      },
      "update role to owner": "update public.swarm_members set role = 'owner' where id = :memberMembership",
      "update own role": "update public.swarm_members set role = 'admin' where swarm_id = :swarm and user_id = :caller",
      "update role of owner":
        "update public.swarm_members set role = 'member' where swarm_id = :swarm and role = 'owner'",
      "accept invitation": "update public.swarm_members set status = 'active' where id = :invitedMembership",
      "accept e-mail invitation": "update public.swarm_members set status = 'active' where id = :emailMembership",
      "accept as admin":
        "update public.swarm_members set status = 'active', role = 'admin' where id = :invitedMembership",
      "update swarm": "update public.swarm_members set swarm_id = :elsewhere where id = :memberMembership",
      "update user": "update public.swarm_members set user_id = :newcomer where id = :memberMembership",
      "delete own": "delete from public.swarm_members where swarm_id = :swarm and user_id = :caller",
      "delete owner": "delete from public.swarm_members where swarm_id = :swarm and role = 'owner'",
      "delete invitation": "delete from public.swarm_members where id = :invitedMembership",
      "delete e-mail invitation": "delete from public.swarm_members where id = :emailMembership",
    },
  }),
  "public.swarm_invitations": rows("public.swarm_invitations", {
    where: "id = :invitedMembership",
    insert: "(swarm_id, swarm_name) values (:swarm, 'x')",
    update: "swarm_name = 'x'",
    more: { "select by e-mail": "select 1 from public.swarm_invitations where id = :emailMembership" },
  }),
  "public.swarm_agents": rows("public.swarm_agents", {
    where: "id = :ownerSwarmAgent",
    insert: "(swarm_id, agent_id) values (:swarm, :callerSpare)",
    update: "position = 7",
    more: {
      "insert into sub-task": "insert into public.swarm_agents (swarm_id, agent_id) values (:ownTask, :callerSpare)",
      "insert foreign agent": "insert into public.swarm_agents (swarm_id, agent_id) values (:swarm, :someoneSpare)",
      "disable member's": "update public.swarm_agents set enabled = false where id = :memberSwarmAgent",
      "enable member's": "update public.swarm_agents set enabled = true where id = :memberIdleSwarmAgent",
      "update member's": "update public.swarm_agents set position = 7 where id = :memberSwarmAgent",
      "update swarm": "update public.swarm_agents set swarm_id = :elsewhere where id = :memberSwarmAgent",
      "update agent": "update public.swarm_agents set agent_id = :memberSpare where id = :memberSwarmAgent",
      "delete member's": "delete from public.swarm_agents where id = :memberSwarmAgent",
    },
  }),
};
