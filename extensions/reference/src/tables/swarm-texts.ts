import type { TableText } from "./table-text.ts";

/** Swarms, members and messages. */
export const SWARM_TEXTS: Readonly<Record<string, TableText>> = {
  swarms: {
    summary: "Conversations between agents and people.",
    notes: [
      "The user who inserts a swarm becomes its owner and first member.",
      "Agents respond only in a swarm whose `status` is `active`.",
      "An update of `settings` replaces the whole object.",
    ],
    columns: {
      owner_id: "The owner. It cannot change.",
      name: "Spaces at both ends are removed.",
      description: "What the swarm is about.",
      avatar: "An `http` or `https` URL of a picture.",
      status: "Whether agents respond.",
      strategy: "Which agents respond to a message, and in which order.",
      parent_run_id:
        "Of the conversation of a sub-task: the run whose tool call began it. Only the service role sees such rows.",
      coordinator_agent_id: "An agent of the swarm that leads the strategies `selector` and `supervisor`.",
      settings:
        "Limits of runs, budgets, moderation, `preamble` (which only the owner can change), and `a2a_published`. Known keys are checked, other keys are kept as sent.",
    },
    events: {
      "swarm.created": "an insert",
      "swarm.updated": "an update, unless it only completes the swarm",
      "swarm.completed": "a change of `status` to `completed`",
      "swarm.deleted": "a delete",
    },
    guide: "swarms",
  },
  swarm_agents: {
    summary: "The agents of a swarm.",
    notes: [
      "An agent is in a swarm once. Its owner can add it, and whoever holds a grant, with the role `owner` or `admin` in the swarm.",
      "The computed field `agent_owner_id` is the owner of the agent, for members of the swarm if the owner is one; null otherwise.",
    ],
    columns: {
      agent_id: "The agent. It cannot change.",
      swarm_id: "The swarm. It cannot change.",
      position: "The order in which agents speak; without a value the agent comes last.",
      enabled: "False keeps the agent in the swarm without a response.",
      role_override: "Replaces `agents.role` in this swarm.",
      added_by: "The user who added the agent.",
    },
    events: {
      "swarm.agent_added": "an insert",
      "swarm.agent_removed": "a delete",
    },
    guide: "swarms",
  },
  swarm_members: {
    summary: "The people of a swarm, and invitations that are not accepted yet.",
    notes: [
      "A new row names the person by `user_id` or by `email`, and has the status `invited`.",
      'The invited person accepts with `{"status": "active"}`, and declines by deleting the row. An account whose address was not proven answers an invitation by address with the secret of its link, through the function `invitations`.',
      "An invitation that has expired cannot be accepted; a new one for the same person replaces it.",
      "Nobody can become `owner`, and the owner cannot leave.",
    ],
    columns: {
      swarm_id: "The swarm. It cannot change.",
      user_id: "The member; null until the invited address belongs to an account that accepts.",
      invited_email: "The invited address, in lower case.",
      role: "What the member may do.",
      status: "`active` members take part; `invited` ones have not accepted.",
      invited_by: "The user who invited the member.",
      joined_at: "When the member accepted.",
      expires_at:
        "When the invitation expires (`INVITATION_TTL_DAYS`); null if it does not, and after it was accepted. The service sets it.",
    },
    aliases: { email: "Another name of `invited_email`." },
    events: {
      "user.joined": "an invitation that is accepted, and an active membership that the service role inserts",
      "user.role_changed": "a change of `role` of an active member",
      "user.removed": "a delete of an active membership",
    },
    guide: "swarms",
  },
  swarm_invitations: {
    summary: "Your own open invitations, with the names that help to decide about them.",
    notes: [
      "Accept or decline the row of `swarm_members` with the same `id`.",
      "Invitations by address are here only when your address was proven: by a link or code in a mail, or by the service role.",
    ],
    columns: {
      swarm_name: "The name of the swarm.",
      role: "The role that you would have.",
      inviter_name: "The name of the person who invited you, or their e-mail address.",
      expires_at: "When the invitation expires; null if it does not.",
    },
    guide: "swarms",
  },
  messages: {
    summary: "What people and agents say in a swarm.",
    notes: [
      "The sender of a user's message is always the caller.",
      "A deleted message stays as a tombstone: `content` is null and `deleted_at` is set. `return=representation` returns no row for it.",
      "Read pages by `seq`, which increases in commit order.",
    ],
    columns: {
      swarm_id: "The swarm. It cannot change.",
      seq: "The number of the message in its swarm.",
      sender_type: "Only the service role can send for agents and the system.",
      sender_id: "`sender_user_id` or `sender_agent_id`, also after the sender was deleted.",
      sender_user_id: "The user who wrote the message.",
      sender_agent_id: "The agent that wrote the message.",
      sender_name: "The name of the sender at the time of writing.",
      sender_deleted: "The sender's account or agent no longer exists.",
      content: "The text; null after the message was deleted.",
      content_type: "How to display `content`.",
      reply_to_id: "The message of the same swarm that this one replies to.",
      run_id: "The run in which an agent wrote the message.",
      turn_id: "The turn in which an agent wrote the message.",
      finish_reason: "Why an agent stopped writing.",
      mentions: "Ids of mentioned agents and users.",
      data: "The parsed value of an answer with a `response_schema`. Only the service writes it.",
      metadata: "Anything the application wants to store with the message.",
      client_message_id: "An id of the sender that makes a repeated insert a conflict (409).",
      edited_at: "When `content` changed last.",
      deleted_at: "When the message was deleted.",
      deleted_by: "The user who deleted the message.",
      flagged: "A flag on the message is open or upheld.",
    },
    events: {
      "message.created": "an insert, by a user or by an agent",
      "message.updated":
        "a change of `content`, `content_type`, `mentions` or `metadata`, and `flagged` that becomes false",
      "message.deleted": "a delete",
    },
    guide: "swarms",
  },
  message_revisions: {
    summary: "Earlier texts of edited messages.",
    notes: ["The service writes a row at each edit, and removes the rows of a message when it is deleted."],
    columns: {
      message_id: "The edited message.",
      revision: "1 is the first text.",
      content: "The text before the edit.",
      edited_by: "The user who replaced it.",
      created_at: "When it was replaced.",
    },
    guide: "swarms",
  },
  conversation_summaries: {
    summary: "What agents read instead of the oldest messages of a long conversation.",
    notes: [
      "A model writes a row when messages no longer fit into the context of an agent, from the messages and the summary before. Tools and other tables are no source.",
      "Who can read the messages can read their summaries. The owner and admins of the swarm can delete them; the agent then has a new one written when it needs it.",
      "A row is deleted when a message that it covers is edited or deleted, and when the agent leaves the swarm. Tokens and costs stand in `model_calls`.",
      "An agent reads its latest row. Of each agent, the service keeps ten.",
    ],
    columns: {
      swarm_id: "The conversation.",
      agent_id: "The agent that reads the summary.",
      up_to_seq: "The number of the last message that the summary covers.",
      text: "The summary.",
      created_at: "When it was written.",
    },
    guide: "swarms",
  },
  message_flags: {
    summary: "Reports of messages, by people, by moderation and by guardrails.",
    notes: [
      "A user flags a message once.",
      "Owner and admins resolve a flag by changing `status`. The reporter can delete an open flag.",
    ],
    columns: {
      message_id: "The message. It cannot change.",
      swarm_id: "The swarm of the message, set by the service.",
      source: "`moderation` is the blocklist of the swarm; `guardrail` is a row of `guardrails`.",
      guardrail_id: "The guardrail, which may have been deleted since; null for other sources.",
      flagged_by: "The user who flagged the message; null for moderation and guardrails.",
      category: "A word of the application, or the name of the guardrail.",
      reason: "The reporter's explanation, or why the guardrail tripped.",
      status: "`upheld` and `dismissed` are decisions.",
      resolved_by: "The user who decided.",
      resolved_at: "When it was decided.",
    },
    events: { "message.flagged": "an insert" },
    guide: "swarms",
  },
  read_positions: {
    summary: "How far each user has read a swarm.",
    notes: [
      "A user has one row for each swarm, reads only own rows, and writes them as a member of the swarm.",
      "The unread messages of a swarm are the `seq` of its newest message minus `last_read_seq`.",
      "A smaller `last_read_seq` changes nothing, so devices can report in any order.",
      "The row is deleted with the swarm and with the account.",
    ],
    columns: {
      swarm_id: "The swarm. It cannot change.",
      user_id: "The user; by default the caller.",
      last_read_seq: "`seq` of the last message that the user has read; 0 for none.",
    },
    guide: "swarms",
  },
};
