import type { ExtensionAccess } from "swarmbase/extension";

const ONLY_SERVICE = ["secrets", "windows"]
  .flatMap((table) =>
    ["select", "insert", "update", "delete"].map(
      (operation) => `ext_triggers.${table} | ${operation} | no no no no no no no no yes`,
    ),
  )
  .join("\n");

export const ACCESS: ExtensionAccess = {
  rows: `insert into public.triggers (id, user_id, name, swarm_id, message, verification) values
      (:trigger, :owner, 'orders', :swarm, 'An order.', 'stripe'),
      (:spareTrigger, :owner, 'others', :swarm, 'Another.', 'github');
    insert into public.trigger_calls (id, trigger_id, user_id, event_id, payload) values
      (:triggerCall, :trigger, :owner, 'evt_1', '{"id": "evt_1"}');
    insert into ext_triggers.secrets (trigger_id, secret_wrapped) values (:trigger, 'x');
    insert into ext_triggers.windows (trigger_id, ends_at, calls) values (:trigger, now(), 1)`,
  matrix: `
public.triggers         | select               | yes   -     -      -      -       -        no    yes     yes
public.triggers         | insert               | yes   yes   yes    yes    yes     yes      no    yes     yes
public.triggers         | update               | yes   -     -      -      -       -        no    yes     yes
public.triggers         | delete               | yes   -     -      -      -       -        no    yes     yes
public.triggers         | insert for owner     | yes   no    no     no     no      no       no    yes     yes
public.triggers         | insert foreign agent | yes   no    no     no     no      no       no    yes     yes
public.triggers         | insert into swarm    | yes   yes   yes    no     no      no       no    yes     yes
public.triggers         | update owner         | no    -     -      -      -       -        no    no      no
public.triggers         | update agent         | never -     -      -      -       -        no    never   never
public.trigger_calls    | select               | yes   -     -      -      -       -        no    yes     yes
public.trigger_calls    | insert               | no    no    no     no     no      no       no    yes     yes
public.trigger_calls    | update               | no    no    no     no     no      no       no    yes     yes
public.trigger_calls    | delete               | no    no    no     no     no      no       no    yes     yes
${ONLY_SERVICE}`,
  keyMatrix: `
public.triggers select: yes read read read read read yes -
public.triggers insert: run run write run run run yes yes
public.triggers update: run run write run run run yes -
public.triggers delete: run run write run run run yes -
public.trigger_calls select: yes read read read read read yes -
public.trigger_calls insert: no no no no no no no no
public.trigger_calls update: no no no no no no no no
public.trigger_calls delete: no no no no no no no no`,
  statements: {
    "public.triggers": {
      select: "select 1 from public.triggers where id = :trigger",
      insert: `insert into public.triggers (user_id, name, agent_id, message, verification)
        values (:caller, 'n', :callerSpare, 'm', 'bearer')`,
      update: "update public.triggers set message = 'other' where id = :trigger",
      delete: "delete from public.triggers where id = :trigger",
      "insert for owner": `insert into public.triggers (user_id, name, agent_id, message, verification)
        values (:owner, 'n', :ownerAgent, 'm', 'bearer')`,
      "insert foreign agent": `insert into public.triggers (user_id, name, agent_id, message, verification)
        values (:caller, 'n', :ownerAgent, 'm', 'bearer')`,
      "insert into swarm": `insert into public.triggers (user_id, name, swarm_id, message, verification)
        values (:caller, 'n', :swarm, 'm', 'bearer')`,
      "update owner": "update public.triggers set user_id = :newcomer where id = :trigger",
      "update agent": "update public.triggers set agent_id = :ownerSpare, swarm_id = null where id = :trigger",
    },
    "public.trigger_calls": {
      select: "select 1 from public.trigger_calls where id = :triggerCall",
      insert: `insert into public.trigger_calls (trigger_id, user_id, event_id, payload)
        values (:trigger, :owner, 'evt_2', '{}')`,
      update: "update public.trigger_calls set status = 'rejected' where id = :triggerCall",
      delete: "delete from public.trigger_calls where id = :triggerCall",
    },
    "ext_triggers.secrets": {
      select: "select 1 from ext_triggers.secrets where trigger_id = :trigger",
      insert: "insert into ext_triggers.secrets (trigger_id, secret_wrapped) values (:spareTrigger, 'x')",
      update: "update ext_triggers.secrets set secret_wrapped = 'y'",
      delete: "delete from ext_triggers.secrets where trigger_id = :trigger",
    },
    "ext_triggers.windows": {
      select: "select 1 from ext_triggers.windows where trigger_id = :trigger",
      insert: "insert into ext_triggers.windows (trigger_id, ends_at, calls) values (:spareTrigger, now(), 1)",
      update: "update ext_triggers.windows set calls = 2",
      delete: "delete from ext_triggers.windows where trigger_id = :trigger",
    },
  },
};
