import type { RandomWorld } from "./random-world.ts";
import { idOf } from "./store-world.ts";

/** For each table and view of the interface, how to name a row of it. */
export const ROW_NAMES = {
  profiles: "id",
  public_profiles: "id",
  user_settings: "user_id",
  api_keys: "user_id",
  webhooks: "id",
  webhook_backlog: "webhook_id",
  agents: "id",
  agent_cards: "id",
  agent_versions: "agent_id",
  tools: "id",
  agent_tools: "id",
  swarms: "id",
  // The owner's membership is made by the database; its own id is not known beforehand.
  swarm_members: "swarm_id || ' ' || coalesce(user_id::text, invited_email)",
  swarm_invitations: "swarm_id",
  swarm_agents: "swarm_id || ' ' || agent_id",
  messages: "id",
  message_revisions: "message_id",
  conversation_summaries: "swarm_id || ' ' || agent_id",
  message_flags: "id",
  read_positions: "id",
  guardrails: "id",
  runs: "id",
  run_turns: "id",
  tool_executions: "id",
  model_calls: "id",
  model_call_prompts: "model_call_id",
  tool_execution_payloads: "tool_execution_id",
  run_events: "run_id",
  usage_records: "id",
  usage_daily: "payer_id",
  eval_datasets: "id",
  eval_cases: "id",
  eval_runs: "id",
  eval_results: "id",
  schedules: "id",
  triggers: "id",
  trigger_calls: "id",
} as const;

export type VisibleRows = Readonly<Record<keyof typeof ROW_NAMES, readonly string[]>>;

/** The row rules once more, as plain code: what this user may see. */
export function visibleRows(world: RandomWorld, me: number): VisibleRows {
  const memberships = [
    ...world.swarms.map(({ owner }, swarm) => ({ swarm, user: owner, role: "owner", isActive: true })),
    ...world.memberships,
  ];
  const myMemberships = memberships.filter(({ user, isActive }) => user === me && isActive);
  const isMine = (user: number | null): boolean => user === me;
  const amIn = (swarm: number): boolean => myMemberships.some((membership) => membership.swarm === swarm);
  const manages = (swarm: number): boolean =>
    myMemberships.some(
      (membership) => membership.swarm === swarm && (membership.role === "owner" || membership.role === "admin"),
    );
  const isMyAgent = (agent: number): boolean => isMine(world.agents[agent]?.owner ?? null);
  const isCoMember = (user: number): boolean =>
    memberships.some((membership) => membership.user === user && membership.isActive && amIn(membership.swarm));
  const amInvited = (email: number): boolean => isMine(email) && world.users[email]?.hasProvenEmail === true;

  const flags = world.messages.flatMap(({ swarm, flaggedBy }, message) =>
    flaggedBy === null ? [] : [{ swarm, flaggedBy, message }],
  );
  const places = world.agents.flatMap(({ swarms }, agent) => swarms.map((swarm) => ({ agent, swarm })));
  const turns = (isVisible: (turn: RandomWorld["turns"][number]) => boolean): string[] =>
    pick("run", world.turns, isVisible);
  const bills = world.bills.filter(({ payer, user }) => isMine(payer) || isMine(user));

  return {
    profiles: [idOf("user", me)],
    user_settings: [idOf("user", me)],
    api_keys: [idOf("user", me)],
    public_profiles: pick("user", world.users, (_, user) => isMine(user) || isCoMember(user)),
    webhooks: pick("webhook", world.webhooks, ({ owner }) => isMine(owner)),
    webhook_backlog: pick("webhook", world.webhooks, ({ owner }) => isMine(owner)),
    agents: pick("agent", world.agents, ({ owner }) => isMine(owner)),
    agent_versions: pick("agent", world.agents, ({ owner }) => isMine(owner)),
    agent_cards: pick("agent", world.agents, ({ owner, swarms }) => isMine(owner) || swarms.some(amIn)),
    tools: pick(
      "tool",
      world.tools,
      ({ owner, visibility }) =>
        owner === null || visibility === "public" || isMine(owner) || (visibility === "shared" && isCoMember(owner)),
    ),
    agent_tools: pick("assignment", world.assignments, ({ agent }) => isMyAgent(agent)),
    swarms: pick("swarm", world.swarms, (_, swarm) => amIn(swarm)),
    swarm_members: [
      ...memberships
        .filter(({ swarm, user }) => amIn(swarm) || isMine(user))
        .map(({ swarm, user }) => `${idOf("swarm", swarm)} ${idOf("user", user)}`),
      ...world.emailMemberships
        .filter(({ swarm, user }) => amIn(swarm) || amInvited(user))
        .map(({ swarm, user }) => `${idOf("swarm", swarm)} user${user}@example.test`),
    ],
    swarm_invitations: [
      ...memberships.filter(({ user, isActive }) => isMine(user) && !isActive),
      ...world.emailMemberships.filter(({ user }) => amInvited(user)),
    ].map(({ swarm }) => idOf("swarm", swarm)),
    swarm_agents: places
      .filter(({ swarm }) => amIn(swarm))
      .map(({ agent, swarm }) => `${idOf("swarm", swarm)} ${idOf("agent", agent)}`),
    messages: pick("message", world.messages, ({ swarm }) => amIn(swarm)),
    message_revisions: pick("message", world.messages, ({ swarm }) => amIn(swarm)),
    conversation_summaries: places
      .filter(({ swarm }) => amIn(swarm))
      .map(({ agent, swarm }) => `${idOf("swarm", swarm)} ${idOf("agent", agent)}`),
    message_flags: flags
      .filter(({ swarm, flaggedBy }) => isMine(flaggedBy) || manages(swarm))
      .map(({ message }) => idOf("flag", message)),
    read_positions: world.memberships.flatMap(({ user }, membership) =>
      isMine(user) ? [idOf("membership", membership)] : [],
    ),
    guardrails: [
      ...pick("agent", world.agents, ({ owner }) => isMine(owner)),
      ...pick("swarm", world.swarms, (_, swarm) => manages(swarm)),
    ],
    runs: turns(({ swarm }) => amIn(swarm)),
    run_turns: turns(({ swarm }) => amIn(swarm)),
    tool_executions: turns(({ swarm }) => amIn(swarm)),
    model_calls: turns(({ swarm }) => amIn(swarm)),
    model_call_prompts: turns(({ swarm, agent }) => amIn(swarm) && isMyAgent(agent)),
    tool_execution_payloads: turns(({ swarm, agent }) => manages(swarm) || (amIn(swarm) && isMyAgent(agent))),
    run_events: turns(
      ({ swarm, agent, isRestricted }) => amIn(swarm) && (!isRestricted || manages(swarm) || isMyAgent(agent)),
    ),
    usage_records: pick("bill", world.bills, (bill) => bills.includes(bill)),
    usage_daily: [...new Set(bills.map(({ payer }) => idOf("user", payer)))],
    eval_datasets: [idOf("user", me)],
    eval_cases: [idOf("user", me)],
    eval_runs: [idOf("user", me)],
    eval_results: [idOf("user", me)],
    schedules: pick("user", world.swarms, ({ owner }) => owner === me),
    triggers: pick("user", world.swarms, ({ owner }) => owner === me),
    trigger_calls: pick("user", world.swarms, ({ owner }) => owner === me),
  };
}

function pick<T>(
  kind: Parameters<typeof idOf>[0],
  rows: readonly T[],
  isVisible: (row: T, place: number) => boolean,
): string[] {
  return rows.flatMap((row, place) => (isVisible(row, place) ? [idOf(kind, place)] : []));
}
