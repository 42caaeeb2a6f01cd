import type { TableText } from "./table-text.ts";

/** Agents, tools and models. */
export const AGENT_TEXTS: Readonly<Record<string, TableText>> = {
  agents: {
    summary: "The AI agents of a user.",
    notes: [
      "A user has at most `AGENT_LIMIT_PER_USER` agents; one more returns 403 `AGENT_LIMIT_REACHED`.",
      "Only the owner reads the whole row. Members of a swarm read `agent_cards`.",
      "An update of `settings` replaces the whole object.",
    ],
    columns: {
      user_id: "The owner. It cannot change.",
      name: "Shown to people and to other agents. Spaces at both ends are removed.",
      role: "What the agent is for, in a few words. It is part of its instructions.",
      avatar: "An `http` or `https` URL of a picture.",
      description: "What the agent does, for the people who choose it. The model does not read it.",
      starter_questions:
        "Questions that a user interface can offer to begin with. Spaces at both ends of each are removed.",
      framework: "The AI provider, as the operator configured it.",
      model:
        "One of the `models` of the framework; null uses the default model. An empty text is stored as null, and `openai/<model>` as the framework of that vendor and its model.",
      system_prompt: "The instructions of the agent.",
      settings: "Parameters of the model. Known keys are checked, other keys are kept as sent.",
      acts_for_askers:
        "Tools of the agent may act for whoever asks it, also for others than its owner. Only the service role changes it.",
      status: "What the agent is doing. The service sets it during a run; the owner can set it too.",
      status_changed_at: "When `status` changed last.",
    },
    events: {
      "agent.created": "an insert",
      "agent.updated": "an update of any column except `status`",
      "agent.status_changed": "a change of `status`, by the owner or by a run",
      "agent.error": "a turn of the agent that fails",
      "agent.deleted": "a delete",
      "swarm.agent_removed": "a delete, for each swarm that the agent was in",
    },
    guide: "agents",
  },
  agent_versions: {
    summary: "The state of an agent after each change: its instructions, model, parameters, tools and guardrails.",
    notes: [
      "The service stores a version with each transaction that changes one of these, also when it changes a tool of the owner that the agent uses. A change of the name, the avatar, the description, the starter questions or the status stores none.",
      "`POST /rest/v1/rpc/restore_agent_version` restores a version of the agent with its assignments and guardrails, as a new version. The rows of tools stay as they are.",
      "An agent keeps its latest `AGENT_VERSIONS_KEPT` versions, and older ones that a turn or an eval run used.",
    ],
    columns: {
      agent_id: "The agent.",
      number: "Counts the versions of the agent from 1.",
      role: "The role of the agent.",
      framework: "The AI provider.",
      model: "The model; null is the default model of the framework.",
      system_prompt: "The instructions of the agent.",
      settings: "Parameters of the model.",
      tools:
        "The assigned tools, each with `tool_id`, its `name` at that time, `enabled`, `configuration`, `approver` and `is_vouched`, and for a tool of the owner its `definition`, without secrets.",
      guardrails:
        "The guardrails of the agent in the order in which they apply, each with `guardrail_id`, without secrets.",
      changed_by: "The owner, if the change was a request of theirs; null is the service or a migration.",
      created_at: "When the change was made.",
    },
    guide: "agents",
  },
  guardrails: {
    summary: "Checks of what an agent, or every agent of a swarm, reads and answers.",
    notes: [
      "A guardrail belongs to an agent, whose owner manages it, or to a swarm, whose owner and admins manage it. Each has at most 20.",
      "A run uses the guardrails that were active when it began or was resumed: those of the swarm first, then those of the agent, each by `position`. With `agent_version`, the agent has the guardrails of that version.",
      "A message or answer that a guardrail stops or changes gets a row in `message_flags`, unless no message is stored.",
    ],
    columns: {
      agent_id: "The agent; null for a guardrail of a swarm. It cannot change.",
      swarm_id: "The swarm; null for a guardrail of an agent. It cannot change.",
      name: "Shown in errors and flags.",
      kind: "How the text is checked. It cannot change.",
      stage: "`input`: the messages that the agent reads. `output`: its answer.",
      action: "`block` ends the turn; `rewrite` replaces the text.",
      config:
        "By kind: `pattern`; `schema`; `policy`, `framework`, `model`, `on_error`; or `url`, `headers`, `timeout_ms`, `on_error`. All kinds take `replacement`.",
      position: "The order among the guardrails of the agent or the swarm.",
      is_active: "Switches the guardrail off.",
      secret: "Signs the requests of a webhook; created by the service.",
    },
    guide: "guardrails",
  },
  agent_cards: {
    summary: "What members of a swarm can see of each other's agents.",
    notes: ["Contains your own agents and those of every swarm that you are a member of."],
    columns: {
      name: "The name of the agent.",
      role: "What the agent is for.",
      avatar: "A URL of a picture.",
      status: "What the agent is doing.",
    },
    guide: "swarms",
  },
  agent_tools: {
    summary: "Which tools an agent can use.",
    notes: ["An agent has a tool once. The embedding `tool` returns the tool itself as one object."],
    columns: {
      agent_id: "The agent. It cannot change.",
      tool_id: "The tool: your own, one of a swarm that you share, a public or a built-in one. It cannot change.",
      user_id: "The owner of the agent, set by the service.",
      enabled: "False keeps the assignment without offering the tool to the model.",
      configuration: "Overrides of the input, and lower limits, for this agent.",
      approver:
        "Who decides on calls that wait for an approval: `owner` of the agent, or `asker`. Null: as the grant says, without one the owner. The starter of a run always decides on a tool that acts for them.",
      is_vouched: "The service role wrote the configuration last, not the owner. Set by the service.",
    },
    guide: "tools",
  },
  tools: {
    summary: "Functions that agents can call: built-in, HTTP, or of an MCP server.",
    notes: [
      "Names are unique for each owner.",
      "A response never contains a secret. `secrets` is written, `secret_names` is read.",
      "Only the service role creates public tools and built-in tools.",
    ],
    columns: {
      owner_id: "The owner; null for built-in and public tools of the operator. It cannot change.",
      name: "The name by which a model calls the tool.",
      description: "What the tool does, for the model.",
      category: "For grouping in a user interface.",
      icon: "For a user interface: a URL or a name.",
      input_schema: "JSON Schema of the input; its `type` must be `object`.",
      kind: "`http`, `mcp`, `client`, `swarm`, `builtin`, or a kind of an extension: `<extension>.<kind>`, or only its name, such as `rpc`, `function`, `schedule` or `a2a`. It cannot change.",
      config:
        "Where and how the tool is called. Its keys depend on `kind`; an empty object means that the tool cannot run yet.",
      visibility: "`private`: the owner. `shared`: members of the owner's swarms. `public`: everybody.",
      requires_approval: "True makes a call wait until a person approves it.",
      timeout_ms: "The time limit of one call. It does not apply to tools of kind `client`.",
      max_output_chars: "The model reads this many characters of the output; longer output is truncated.",
      max_retries: "How often a `GET` or `HEAD` request that got no response is repeated.",
      idempotent:
        "A call has the same effect once and twice. If its node is lost, the call is repeated; otherwise the model is told that its outcome is unknown.",
      enabled: "False offers the tool to no agent.",
      secret_names: "The names of the stored secrets.",
      is_vouched:
        "The service role wrote the definition last, not the owner. A tool that acts for the person who asks is offered to others than its owner only then. Set by the service.",
    },
    aliases: {
      secrets: "Values by name, which replace all stored secrets. They are encrypted, and never returned.",
    },
    guide: "tools",
  },
  models: {
    summary: "The models that agents can use, as the operator configured them.",
    notes: ["The service writes the table at every start. Nobody can change it, the service role included."],
    columns: {
      framework: "The AI provider.",
      id: "The name for `agents.model`.",
      is_default: "Used by agents of the framework whose `model` is null.",
      position: "The order in the configuration.",
      context_window: "Tokens of input and output together; null if unknown.",
      max_output_tokens: "The longest response; null if unknown.",
      price_input: "USD per million tokens of input; null if unknown.",
      price_cached_input: "USD per million tokens of input that the provider had in its cache; null if unknown.",
      price_output: "USD per million tokens of output; null if unknown.",
      supports: "Which settings and features the model accepts.",
      is_simulated: "The service itself creates the responses, without a provider.",
      is_list_open: "The framework also accepts models that are not in the list.",
      is_default_framework:
        "The first framework that can answer: what the console and files choose for agents that name none.",
    },
    guide: "models",
  },
};
