// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { GrantAudience, GrantParty, GrantTranscripts } from "../grants.ts";
import type { JsonObject } from "../json.ts";

/** Who may ask an agent beside its owner, and on which terms. */
export type AgentGrantsTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The agent. It cannot change. */
    agent_id: string;
    /** `everyone` is every signed-in user, `claim` the accounts with `claim`, `user` the one account of `user_id`. It cannot change. */
    audience: GrantAudience;
    /** With the audience `claim`: an object that the stored `app_metadata` of the account contains. */
    claim: JsonObject | null;
    /** With the audience `user`: the account. It cannot change. */
    user_id: string | null;
    /** Whether a grant to everyone or to a claim is also for anonymous users. */
    include_anonymous: boolean;
    /** Of several matching grants of one audience, the highest applies. */
    priority: number;
    /** The version of the agent that answers. Edits reach nobody until it changes. Null is the agent as it is. */
    agent_version: number | null;
    /** Who decides on tool calls that wait for an approval: `owner` of the agent, or `asker`. */
    approver: GrantParty;
    /** Who pays for the answers: `owner` of the agent, or `asker`. */
    payer: GrantParty;
    /** Runs of each asker in a UTC day; null is no limit. 0 blocks at once, without an acceptance. */
    runs_per_day: number | null;
    /** Cost in USD of each asker in a UTC day; null is no limit. */
    cost_per_day: number | null;
    /** Runs of all askers together in a UTC day; null is no limit. */
    total_runs_per_day: number | null;
    /** Cost in USD of all askers together in a UTC day; null is no limit. */
    total_cost_per_day: number | null;
    /** Who reads the conversations: `private` is whoever asks alone, `owner` also the owner of the agent. */
    transcripts: GrantTranscripts;
    /** Whether a call may bring its own conversation. */
    accepts_messages: boolean;
    /** Whether a call may bring tools that the client executes. */
    accepts_client_tools: boolean;
    /** Whether whoever asks sees the name of the owner. */
    shows_owner: boolean;
    /** When the grant ends; null if it does not. */
    expires_at: string | null;
    /** When the user accepted the offer; set by the service. */
    accepted_at: string | null;
    /** Who approves tool calls, as the user was told then; set by the service. */
    accepted_approver: GrantParty | null;
    /** When the user declined the offer; set by the service. */
    declined_at: string | null;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** When the row changed last. A sent value is ignored. */
    updated_at: string;
  };
  Insert: {
    /** The id, a UUID that sorts by time. */
    id?: string;
    /** The agent. It cannot change. */
    agent_id: string;
    /** `everyone` is every signed-in user, `claim` the accounts with `claim`, `user` the one account of `user_id`. It cannot change. */
    audience: GrantAudience;
    /** With the audience `claim`: an object that the stored `app_metadata` of the account contains. */
    claim?: JsonObject | null;
    /** With the audience `user`: the account. It cannot change. */
    user_id?: string | null;
    /** Whether a grant to everyone or to a claim is also for anonymous users. */
    include_anonymous?: boolean;
    /** Of several matching grants of one audience, the highest applies. */
    priority?: number;
    /** The version of the agent that answers. Edits reach nobody until it changes. Null is the agent as it is. */
    agent_version?: number | null;
    /** Who decides on tool calls that wait for an approval: `owner` of the agent, or `asker`. */
    approver?: GrantParty;
    /** Who pays for the answers: `owner` of the agent, or `asker`. */
    payer?: GrantParty;
    /** Runs of each asker in a UTC day; null is no limit. 0 blocks at once, without an acceptance. */
    runs_per_day?: number | null;
    /** Cost in USD of each asker in a UTC day; null is no limit. */
    cost_per_day?: number | null;
    /** Runs of all askers together in a UTC day; null is no limit. */
    total_runs_per_day?: number | null;
    /** Cost in USD of all askers together in a UTC day; null is no limit. */
    total_cost_per_day?: number | null;
    /** Who reads the conversations: `private` is whoever asks alone, `owner` also the owner of the agent. */
    transcripts?: GrantTranscripts;
    /** Whether a call may bring its own conversation. */
    accepts_messages?: boolean;
    /** Whether a call may bring tools that the client executes. */
    accepts_client_tools?: boolean;
    /** Whether whoever asks sees the name of the owner. */
    shows_owner?: boolean;
    /** When the grant ends; null if it does not. */
    expires_at?: string | null;
  };
  Update: {
    /** With the audience `claim`: an object that the stored `app_metadata` of the account contains. */
    claim?: JsonObject | null;
    /** Whether a grant to everyone or to a claim is also for anonymous users. */
    include_anonymous?: boolean;
    /** Of several matching grants of one audience, the highest applies. */
    priority?: number;
    /** The version of the agent that answers. Edits reach nobody until it changes. Null is the agent as it is. */
    agent_version?: number | null;
    /** Who decides on tool calls that wait for an approval: `owner` of the agent, or `asker`. */
    approver?: GrantParty;
    /** Who pays for the answers: `owner` of the agent, or `asker`. */
    payer?: GrantParty;
    /** Runs of each asker in a UTC day; null is no limit. 0 blocks at once, without an acceptance. */
    runs_per_day?: number | null;
    /** Cost in USD of each asker in a UTC day; null is no limit. */
    cost_per_day?: number | null;
    /** Runs of all askers together in a UTC day; null is no limit. */
    total_runs_per_day?: number | null;
    /** Cost in USD of all askers together in a UTC day; null is no limit. */
    total_cost_per_day?: number | null;
    /** Who reads the conversations: `private` is whoever asks alone, `owner` also the owner of the agent. */
    transcripts?: GrantTranscripts;
    /** Whether a call may bring its own conversation. */
    accepts_messages?: boolean;
    /** Whether a call may bring tools that the client executes. */
    accepts_client_tools?: boolean;
    /** Whether whoever asks sees the name of the owner. */
    shows_owner?: boolean;
    /** When the grant ends; null if it does not. */
    expires_at?: string | null;
  };
  Relationships: [
    {
      foreignKeyName: "agent_grants_agent_id_fkey";
      columns: ["agent_id"];
      isOneToOne: false;
      referencedRelation: "agent_cards";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "agent_grants_agent_id_fkey";
      columns: ["agent_id"];
      isOneToOne: false;
      referencedRelation: "agents";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "agent_grants_agent_version_fkey";
      columns: ["agent_id", "agent_version"];
      isOneToOne: false;
      referencedRelation: "agent_versions";
      referencedColumns: ["agent_id", "number"];
    },
  ];
};
