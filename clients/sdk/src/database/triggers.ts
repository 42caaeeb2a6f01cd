// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { Json } from "../json.ts";

/** Triggers: addresses that other systems call to start an agent, or the agents of a swarm. */
export type TriggersTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The owner, in whose name the runs are started. It cannot change. */
    user_id: string;
    /** A name for the owner. */
    name: string;
    /** The agent that is asked: your own, or one of `published_agents`. It cannot change. */
    agent_id: string | null;
    /** The swarm that gets the message, in which you may write. It cannot change. */
    swarm_id: string | null;
    /** What is sent. `{{data.object.id}}` is a value of the payload, `{{.}}` all of it. */
    message: string;
    /** With `agent_id`. `own`: one conversation for all runs of the trigger. `new`: one for each run. Neither is your chat with the agent. */
    conversation: "own" | "new";
    /** How the sender proves who it is. Another kind needs another secret. */
    verification: "stripe" | "github" | "slack" | "standard_webhooks" | "hmac" | "bearer";
    /** With `hmac`: the header that has the signature of the body. */
    signature_header: string;
    /** With `hmac`. */
    signature_algorithm: "sha256" | "sha512" | "sha1";
    /** With `hmac`. */
    signature_encoding: "hex" | "base64";
    /** With `hmac`: what stands before the signature, such as `sha256=`. */
    signature_prefix: string;
    /** With `hmac` and `bearer`: where the payload has the id of the event. Two calls with the same id are one. */
    event_id_path: string | null;
    /** Conditions on the payload: calls that do not meet them are counted and start nothing. Null: all start runs. */
    filter: Json | null;
    /** How much the signed time may differ from now, with senders that sign one. */
    replay_window_seconds: number;
    /** Whether calls are accepted. The service switches it off with a `paused_reason`. */
    enabled: boolean;
    /** More calls get 429. */
    calls_per_minute: number;
    /** Longer bodies get 413. */
    max_payload_bytes: number;
    /** How long calls are kept. At most 10,000 are. */
    retention_days: number;
    /** A budget of tokens for each run, beside all others that apply. */
    max_tokens: number | null;
    /** A budget of US dollars for each run. */
    max_cost_usd: number | null;
    /** Names of tools that act for you and can write, and that need no approval in conversations of the trigger. */
    allowed_tools: string[];
    /** How many failures in a row switch the trigger off; 0: none do. */
    pause_after_failures: number;
    /** Whether a secret is stored. Nobody can read it. */
    has_secret: boolean;
    /** Failures in a row. */
    failures: number;
    /** How many calls did not meet the filter. */
    skipped: number;
    /** Why the service has switched the trigger off: `failures`, or the code of the error that ended it. */
    paused_reason: string | null;
    /** When `calls_per_minute` was exceeded last. */
    limited_at: string | null;
    /** When a call was not verified last; written about once a minute. */
    unverified_at: string | null;
    /** The API key that wrote the trigger last; null: none did. */
    api_key_id: string | null;
    /** The scopes of this key. */
    api_key_scopes: string[] | null;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** When the row changed last. A sent value is ignored. */
    updated_at: string;
  };
  Insert: {
    /** The id, a UUID that sorts by time. */
    id?: string;
    /** The owner, in whose name the runs are started. It cannot change. */
    user_id?: string;
    /** A name for the owner. */
    name: string;
    /** The agent that is asked: your own, or one of `published_agents`. It cannot change. */
    agent_id?: string | null;
    /** The swarm that gets the message, in which you may write. It cannot change. */
    swarm_id?: string | null;
    /** What is sent. `{{data.object.id}}` is a value of the payload, `{{.}}` all of it. */
    message: string;
    /** With `agent_id`. `own`: one conversation for all runs of the trigger. `new`: one for each run. Neither is your chat with the agent. */
    conversation?: "own" | "new";
    /** How the sender proves who it is. Another kind needs another secret. */
    verification: "stripe" | "github" | "slack" | "standard_webhooks" | "hmac" | "bearer";
    /** With `hmac`: the header that has the signature of the body. */
    signature_header?: string;
    /** With `hmac`. */
    signature_algorithm?: "sha256" | "sha512" | "sha1";
    /** With `hmac`. */
    signature_encoding?: "hex" | "base64";
    /** With `hmac`: what stands before the signature, such as `sha256=`. */
    signature_prefix?: string;
    /** With `hmac` and `bearer`: where the payload has the id of the event. Two calls with the same id are one. */
    event_id_path?: string | null;
    /** Conditions on the payload: calls that do not meet them are counted and start nothing. Null: all start runs. */
    filter?: Json | null;
    /** How much the signed time may differ from now, with senders that sign one. */
    replay_window_seconds?: number;
    /** Whether calls are accepted. The service switches it off with a `paused_reason`. */
    enabled?: boolean;
    /** More calls get 429. */
    calls_per_minute?: number;
    /** Longer bodies get 413. */
    max_payload_bytes?: number;
    /** How long calls are kept. At most 10,000 are. */
    retention_days?: number;
    /** A budget of tokens for each run, beside all others that apply. */
    max_tokens?: number | null;
    /** A budget of US dollars for each run. */
    max_cost_usd?: number | null;
    /** Names of tools that act for you and can write, and that need no approval in conversations of the trigger. */
    allowed_tools?: string[];
    /** How many failures in a row switch the trigger off; 0: none do. */
    pause_after_failures?: number;
  };
  Update: {
    /** A name for the owner. */
    name?: string;
    /** What is sent. `{{data.object.id}}` is a value of the payload, `{{.}}` all of it. */
    message?: string;
    /** With `agent_id`. `own`: one conversation for all runs of the trigger. `new`: one for each run. Neither is your chat with the agent. */
    conversation?: "own" | "new";
    /** How the sender proves who it is. Another kind needs another secret. */
    verification?: "stripe" | "github" | "slack" | "standard_webhooks" | "hmac" | "bearer";
    /** With `hmac`: the header that has the signature of the body. */
    signature_header?: string;
    /** With `hmac`. */
    signature_algorithm?: "sha256" | "sha512" | "sha1";
    /** With `hmac`. */
    signature_encoding?: "hex" | "base64";
    /** With `hmac`: what stands before the signature, such as `sha256=`. */
    signature_prefix?: string;
    /** With `hmac` and `bearer`: where the payload has the id of the event. Two calls with the same id are one. */
    event_id_path?: string | null;
    /** Conditions on the payload: calls that do not meet them are counted and start nothing. Null: all start runs. */
    filter?: Json | null;
    /** How much the signed time may differ from now, with senders that sign one. */
    replay_window_seconds?: number;
    /** Whether calls are accepted. The service switches it off with a `paused_reason`. */
    enabled?: boolean;
    /** More calls get 429. */
    calls_per_minute?: number;
    /** Longer bodies get 413. */
    max_payload_bytes?: number;
    /** How long calls are kept. At most 10,000 are. */
    retention_days?: number;
    /** A budget of tokens for each run, beside all others that apply. */
    max_tokens?: number | null;
    /** A budget of US dollars for each run. */
    max_cost_usd?: number | null;
    /** Names of tools that act for you and can write, and that need no approval in conversations of the trigger. */
    allowed_tools?: string[];
    /** How many failures in a row switch the trigger off; 0: none do. */
    pause_after_failures?: number;
  };
  Relationships: [
    {
      foreignKeyName: "triggers_agent_id_fkey";
      columns: ["agent_id"];
      isOneToOne: false;
      referencedRelation: "agent_cards";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "triggers_agent_id_fkey";
      columns: ["agent_id"];
      isOneToOne: false;
      referencedRelation: "agents";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "triggers_swarm_id_fkey";
      columns: ["swarm_id"];
      isOneToOne: false;
      referencedRelation: "swarms";
      referencedColumns: ["id"];
    },
  ];
};
