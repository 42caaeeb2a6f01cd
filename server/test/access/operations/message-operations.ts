import { rows, type TableOperations } from "./rows.ts";

/** A deleted message stays as a tombstone, so no row is reported as deleted. */
function bury(condition: string): { statement: string; check: string } {
  return {
    statement: `delete from public.messages where ${condition}`,
    check: `select 1 from public.messages where ${condition} and deleted_at is not null and content is null`,
  };
}

export const MESSAGE_OPERATIONS: Readonly<Record<string, TableOperations>> = {
  "public.messages": rows("public.messages", {
    where: "id = :ownerMessage",
    insert: "(swarm_id, sender_type, sender_user_id, content) values (:swarm, 'user', :caller, 'hi')",
    update: "content = 'changed'",
    more: {
      "select sub-task": "select 1 from public.messages where id = :taskMessage",
      "select own sub-task": "select 1 from public.messages where id = :ownTaskMessage",
      "insert into sub-task":
        "insert into public.messages (swarm_id, sender_type, sender_user_id, content) values (:ownTask, 'user', :caller, 'hi')",
      "select tombstone": "select 1 from public.messages where id = :tombstone and content is null",
      "insert for owner": {
        statement:
          "insert into public.messages (swarm_id, sender_type, sender_user_id, content) values (:swarm, 'user', :owner, 'forged')",
        check: "select 1 from public.messages where content = 'forged' and sender_user_id = :owner",
      },
      "insert for agent": {
        statement:
          "insert into public.messages (swarm_id, sender_type, sender_agent_id, content) values (:swarm, 'agent', :ownerAgent, 'forged')",
        check: "select 1 from public.messages where content = 'forged' and sender_type = 'agent'",
      },
      "update own message":
        "update public.messages set content = 'changed' where swarm_id = :swarm and deleted_at is null and sender_user_id = :caller",
      "update foreign message": "update public.messages set content = 'changed' where id = :memberMessage",
      "update agent's message": "update public.messages set content = 'changed' where id = :agentMessage",
      "update tombstone": "update public.messages set metadata = '{}' where id = :tombstone",
      "update sender": "update public.messages set sender_user_id = :newcomer where id = :memberMessage",
      "update swarm": "update public.messages set swarm_id = :annex where id = :memberMessage",
      "update flagged": "update public.messages set flagged = not flagged where id = :memberMessage",
      delete: bury("id = :ownerMessage"),
      "delete own message": bury("id <> :tombstone and sender_user_id = :caller"),
      "delete foreign message": bury("id = :memberMessage"),
      "delete agent's message": bury("id = :agentMessage"),
      "delete tombstone": "delete from public.messages where id = :tombstone",
    },
  }),
  "public.message_revisions": rows("public.message_revisions", {
    where: "message_id = :memberMessage",
    insert: "(message_id, revision, swarm_id, content) values (:ownerMessage, 1, :swarm, 'forged')",
    update: "content = 'forged'",
  }),
  "public.conversation_summaries": rows("public.conversation_summaries", {
    where: "swarm_id = :swarm",
    insert: "(swarm_id, agent_id, up_to_seq, text) values (:swarm, :ownerAgent, 2, 'forged')",
    update: "text = 'forged'",
  }),
  "public.message_flags": rows("public.message_flags", {
    where: "id = :memberFlag",
    insert: "(message_id, flagged_by, reason) values (:agentMessage, :caller, 'rude')",
    update: "status = 'upheld'",
    more: {
      "insert for owner": {
        statement: "insert into public.message_flags (message_id, flagged_by) values (:agentMessage, :owner)",
        check: "select 1 from public.message_flags where message_id = :agentMessage and flagged_by = :owner",
      },
      "insert as moderation": {
        statement: "insert into public.message_flags (message_id, source) values (:agentMessage, 'moderation')",
        check: "select 1 from public.message_flags where message_id = :agentMessage and source = 'moderation'",
      },
      "insert as guardrail": {
        statement:
          "insert into public.message_flags (message_id, guardrail_id) values (:agentMessage, :agentGuardrail)",
        check: "select 1 from public.message_flags where guardrail_id = :agentGuardrail",
      },
      "update guardrail": "update public.message_flags set guardrail_id = :agentGuardrail where id = :memberFlag",
      "update reason": "update public.message_flags set reason = 'changed' where id = :memberFlag",
      "update message": "update public.message_flags set message_id = :agentMessage where id = :memberFlag",
      "delete resolved": "delete from public.message_flags where id = :memberSettledFlag",
    },
  }),
  "public.read_positions": rows("public.read_positions", {
    where: "id = :ownerPosition",
    insert: "(swarm_id, user_id, last_read_seq) values (:annex, :caller, 1)",
    update: "last_read_seq = 3",
    more: {
      "insert for newcomer":
        "insert into public.read_positions (swarm_id, user_id, last_read_seq) values (:swarm, :newcomer, 1)",
      "update foreign": "update public.read_positions set last_read_seq = 3 where id = :memberPosition",
      "update swarm": "update public.read_positions set swarm_id = :annex where id = :ownerPosition",
      "update user": "update public.read_positions set user_id = :newcomer where id = :ownerPosition",
    },
  }),
};
