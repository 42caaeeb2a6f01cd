import type { TableText } from "./table-text.ts";

/** The table of the extension `schedules`, which is loaded by default. */
export const SCHEDULE_TEXTS: Readonly<Record<string, TableText>> = {
  schedules: {
    summary: "Schedules: when an agent, or the agents of a swarm, get a message of their user.",
    notes: [
      "A schedule has `agent_id` or `swarm_id`, and `cron` or `run_at`.",
      "With an API key, writing needs `run`, `write` and `share`. The schedule then has no more rights than the key, and ends with it.",
      "A user has at most 1,000 schedules.",
    ],
    columns: {
      user_id: "The owner, in whose name the runs are started. It cannot change.",
      name: "A name for the owner.",
      agent_id: "The agent that is asked: your own, or one of `published_agents`. It cannot change.",
      swarm_id: "The swarm that gets the message, in which you may write. It cannot change.",
      message: "What is sent.",
      conversation:
        "With `agent_id`. `own`: one conversation for all runs of the schedule. `new`: one for each run. Neither is your chat with the agent.",
      cron: "Five fields: minute, hour, day of the month, month, day of the week.",
      time_zone: "The zone of `cron`, such as `Europe/Berlin`.",
      run_at: "The only time, instead of `cron`.",
      enabled: "Whether runs are started. The service switches it off after the last time, and with a `paused_reason`.",
      max_tokens: "A budget of tokens for each run, beside all others that apply.",
      max_cost_usd: "A budget of US dollars for each run.",
      when_running:
        "What a time does while a run of the schedule is in progress, or waits for a limit: `skip`, or `queue` behind it.",
      when_missed:
        "What a time does that no node could start within five minutes: `skip`, or `last`, which starts the last one.",
      jitter_seconds: "The longest random delay, which is less than the time to the next run.",
      pause_after_failures: "How many failures in a row switch the schedule off; 0: none do.",
      next_run_at:
        "When the next run is started. Null until the service has planned it, and while the schedule is off.",
      due_at: "`next_run_at` without its jitter. While a start waits, the time that waits.",
      waiting: "What a start waits for: a `limit`, or the `run` in progress. Null: it does not wait.",
      retry_at: "When a start that waits for a limit is tried again; `infinity` while it waits for a run.",
      open_run_id: "The run in progress.",
      last_outcomes:
        "The last ten, latest first: `due_at` (null: by hand), `at`, `outcome` (`started` and then the status of the run, `waiting`, `skipped`, `missed`, `rejected`), and where they apply `run_id`, `swarm_id`, `ended_at`, `code`, `message`.",
      failures: "Failures in a row.",
      paused_reason:
        "Why the service has switched the schedule off: `failures`, or the code of the error that ended it.",
      api_key_id: "The API key that wrote the schedule last; null: none did.",
      api_key_scopes: "The scopes of this key.",
      created_by_agent_id: "The agent whose tool has made the schedule; null: no agent has.",
    },
    guide: "schedules",
  },
};
