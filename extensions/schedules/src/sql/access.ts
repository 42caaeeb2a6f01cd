import type { ExtensionAccess } from "swarmbase/extension";

export const ACCESS: ExtensionAccess = {
  rows: `insert into public.schedules (id, user_id, name, swarm_id, message, cron, created_by_agent_id) values
      (:schedule, :owner, 'daily', :swarm, 'Report.', '0 9 * * *', :ownerAgent)`,
  matrix: `
public.schedules         | select               | yes   -     -      -      -       -        no    yes     yes
public.schedules         | insert               | yes   yes   yes    yes    yes     yes      no    yes     yes
public.schedules         | update               | yes   -     -      -      -       -        no    yes     yes
public.schedules         | delete               | yes   -     -      -      -       -        no    yes     yes
public.schedules         | insert for owner     | yes   no    no     no     no      no       no    yes     yes
public.schedules         | insert foreign agent | yes   no    no     no     no      no       no    yes     yes
public.schedules         | insert into swarm    | yes   yes   yes    no     no      no       no    yes     yes
public.schedules         | update owner         | no    -     -      -      -       -        no    no      no
public.schedules         | update agent         | never -     -      -      -       -        no    never   never`,
  keyMatrix: `
public.schedules select: yes read read read read read yes -
public.schedules insert: run run write run run run yes yes
public.schedules update: run run write run run run yes -
public.schedules delete: run run write run run run yes -`,
  statements: {
    "public.schedules": {
      select: "select 1 from public.schedules where id = :schedule",
      insert: `insert into public.schedules (user_id, name, agent_id, message, cron)
        values (:caller, 'n', :callerSpare, 'm', '0 9 * * *')`,
      update: "update public.schedules set message = 'other' where id = :schedule",
      delete: "delete from public.schedules where id = :schedule",
      "insert for owner": `insert into public.schedules (user_id, name, agent_id, message, cron)
        values (:owner, 'n', :ownerAgent, 'm', '0 9 * * *')`,
      "insert foreign agent": `insert into public.schedules (user_id, name, agent_id, message, cron)
        values (:caller, 'n', :ownerAgent, 'm', '0 9 * * *')`,
      "insert into swarm": `insert into public.schedules (user_id, name, swarm_id, message, cron)
        values (:caller, 'n', :swarm, 'm', '0 9 * * *')`,
      "update owner": "update public.schedules set user_id = :newcomer where id = :schedule",
      "update agent": "update public.schedules set agent_id = :ownerSpare, swarm_id = null where id = :schedule",
    },
  },
};
