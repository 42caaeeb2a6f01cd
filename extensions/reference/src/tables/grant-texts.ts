import type { TableText } from "./table-text.ts";

const TERMS = {
  payer: "Who pays for the answers: `owner` of the agent, or `asker`.",
  approver: "Who decides on tool calls that wait for an approval: `owner` of the agent, or `asker`.",
  transcripts: "Who reads the conversations: `private` is whoever asks alone, `owner` also the owner of the agent.",
};

const AGENT = {
  name: "The name of the agent.",
  role: "What the agent is for.",
  avatar: "A URL of a picture.",
  description: "What the agent does.",
  owner_name: "The name of the owner, if the grant shows it.",
  ...TERMS,
};

/** Who may ask an agent of somebody else. */
export const GRANT_TEXTS: Readonly<Record<string, TableText>> = {
  agent_grants: {
    summary: "Who may ask an agent beside its owner, and on which terms.",
    notes: [
      "Exactly one grant applies to a caller: the one for the user, else the matching claim of the highest `priority`, else the one for everyone. Of equal ones the oldest applies. Expired ones do not count.",
      "Only the service role and operators write grants to everyone or to a claim, unless `AGENT_PUBLISHERS` is `users`.",
      "A grant to a user is an offer until that user accepts it, with the function `agent-grants`. A change of `payer`, `approver` or `transcripts` needs a new acceptance, and so does an assignment of a tool that gives its calls to the owner.",
    ],
    columns: {
      agent_id: "The agent. It cannot change.",
      audience:
        "`everyone` is every signed-in user, `claim` the accounts with `claim`, `user` the one account of `user_id`. It cannot change.",
      claim: "With the audience `claim`: an object that the stored `app_metadata` of the account contains.",
      user_id: "With the audience `user`: the account. It cannot change.",
      include_anonymous: "Whether a grant to everyone or to a claim is also for anonymous users.",
      priority: "Of several matching grants of one audience, the highest applies.",
      agent_version:
        "The version of the agent that answers. Edits reach nobody until it changes. Null is the agent as it is.",
      ...TERMS,
      runs_per_day: "Runs of each asker in a UTC day; null is no limit. 0 blocks at once, without an acceptance.",
      cost_per_day: "Cost in USD of each asker in a UTC day; null is no limit.",
      total_runs_per_day: "Runs of all askers together in a UTC day; null is no limit.",
      total_cost_per_day: "Cost in USD of all askers together in a UTC day; null is no limit.",
      accepts_messages: "Whether a call may bring its own conversation.",
      accepts_client_tools: "Whether a call may bring tools that the client executes.",
      shows_owner: "Whether whoever asks sees the name of the owner.",
      expires_at: "When the grant ends; null if it does not.",
      accepted_at: "When the user accepted the offer; set by the service.",
      accepted_approver: "Who approves tool calls, as the user was told then; set by the service.",
      declined_at: "When the user declined the offer; set by the service.",
    },
    guide: "serve-customers",
  },
  published_agents: {
    summary: "The agents of others that you may ask, and what you should know before.",
    notes: ["`POST /functions/v1/agent-respond` with `agent_id` asks one, in a private conversation."],
    columns: {
      ...AGENT,
      starter_questions: "Questions to begin with.",
      receivers:
        "The origins that receive text of conversations: of HTTP tools and of webhooks that check messages. `https://*` stands for an address that the model chooses.",
      provider: "Whose models answer and check messages, fallbacks that the operator has set included.",
      acts_for_asker:
        "Tools of the agent act in your name, with your rights or your connected accounts, or make schedules for you.",
    },
    guide: "serve-customers",
  },
  agent_offers: {
    summary: "The grants that name you and wait for your answer.",
    notes: ["The function `agent-grants` accepts or declines one."],
    columns: {
      ...AGENT,
      agent_id: "The agent.",
      runs_per_day: "How many runs you may start in a UTC day; null is no limit.",
      cost_per_day: "What your runs may cost in a UTC day, in USD; null is no limit.",
      expires_at: "When the offer ends; null if it does not.",
    },
    guide: "serve-customers",
  },
  agent_customers: {
    summary: "Who has asked your agents by a grant: figures without content.",
    notes: [],
    columns: {
      agent_id: "The agent.",
      user_id: "Whoever asked.",
      full_name: "Their name.",
      runs: "How many runs they started.",
      cost_usd: "What the answers have cost, in USD.",
      errors: "How many answers failed.",
      last_run_at: "When they asked last.",
    },
    guide: "serve-customers",
  },
  customer_turns: {
    summary: "The answers of your agents to those who ask by a grant: figures without content.",
    notes: [],
    columns: {
      agent_id: "The agent.",
      user_id: "Whoever asked.",
      run_id: "The run.",
      status: "How far the answer is.",
      duration_ms: "Milliseconds of the whole answer.",
      cost_usd: "What the answer has cost, in USD.",
      error_code: "The code of the error of an answer that failed.",
      tool_names: "The tools that were called, in their order.",
    },
    guide: "serve-customers",
  },
};
