import type { TableText } from "./table-text.ts";

/** The tables of the extension `triggers`, which is loaded by default. */
export const TRIGGER_TEXTS: Readonly<Record<string, TableText>> = {
  triggers: {
    summary: "Triggers: addresses that other systems call to start an agent, or the agents of a swarm.",
    notes: [
      "The address is `/triggers/v1/<id>`. It accepts calls once the function `triggers` has stored a secret.",
      "A trigger has `agent_id` or `swarm_id`.",
      "With an API key, writing needs `run`, `write` and `share`, and `approve` while there are `allowed_tools`. The trigger then has no more rights than the key, and ends with it.",
      "A user has at most 100 triggers.",
    ],
    columns: {
      user_id: "The owner, in whose name the runs are started. It cannot change.",
      name: "A name for the owner.",
      agent_id: "The agent that is asked: your own, or one of `published_agents`. It cannot change.",
      swarm_id: "The swarm that gets the message, in which you may write. It cannot change.",
      message: "What is sent. `{{data.object.id}}` is a value of the payload, `{{.}}` all of it.",
      conversation:
        "With `agent_id`. `own`: one conversation for all runs of the trigger. `new`: one for each run. Neither is your chat with the agent.",
      verification: "How the sender proves who it is. Another kind needs another secret.",
      signature_header: "With `hmac`: the header that has the signature of the body.",
      signature_algorithm: "With `hmac`.",
      signature_encoding: "With `hmac`.",
      signature_prefix: "With `hmac`: what stands before the signature, such as `sha256=`.",
      event_id_path:
        "With `hmac` and `bearer`: where the payload has the id of the event. Two calls with the same id are one.",
      filter:
        "Conditions on the payload: calls that do not meet them are counted and start nothing. Null: all start runs.",
      replay_window_seconds: "How much the signed time may differ from now, with senders that sign one.",
      enabled: "Whether calls are accepted. The service switches it off with a `paused_reason`.",
      calls_per_minute: "More calls get 429.",
      max_payload_bytes: "Longer bodies get 413.",
      retention_days: "How long calls are kept. At most 10,000 are.",
      max_tokens: "A budget of tokens for each run, beside all others that apply.",
      max_cost_usd: "A budget of US dollars for each run.",
      allowed_tools:
        "Names of tools that act for you and can write, and that need no approval in conversations of the trigger.",
      pause_after_failures: "How many failures in a row switch the trigger off; 0: none do.",
      has_secret: "Whether a secret is stored. Nobody can read it.",
      failures: "Failures in a row.",
      skipped: "How many calls did not meet the filter.",
      paused_reason:
        "Why the service has switched the trigger off: `failures`, or the code of the error that ended it.",
      limited_at: "When `calls_per_minute` was exceeded last.",
      unverified_at: "When a call was not verified last; written about once a minute.",
      api_key_id: "The API key that wrote the trigger last; null: none did.",
      api_key_scopes: "The scopes of this key.",
    },
    guide: "triggers",
  },
  trigger_calls: {
    summary: "Calls of triggers: what other systems have sent, and what came of it.",
    notes: ["The service writes the rows, and deletes them after `retention_days`. Headers are not kept."],
    columns: {
      trigger_id: "The trigger.",
      user_id: "The owner of the trigger.",
      event_id: "The id of the event; a digest of the body where the sender signs none.",
      event_type: "The type of the event, where the sender names one.",
      payload: "The body, or the fields of a form.",
      status:
        "`waiting` for a limit of the owner; `started`, then the status of the run, or `deleted` with it; `rejected` if the owner may not start the run; `loop_detected` if runs of triggers led to the call.",
      error: "`code` and `message` of what the call waits for, or of why there is no answer.",
      run_id: "The run.",
      swarm_id: "The conversation of the run.",
      depth: "How many runs of triggers, one after the other, led to the call.",
      replays: "The call whose payload was sent again.",
      retry_at: "When a call that waits is tried again.",
      finished_at: "When the run ended, or the call without one.",
    },
    guide: "triggers",
  },
};
