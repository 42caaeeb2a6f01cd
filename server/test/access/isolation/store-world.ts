import type { RandomWorld } from "./random-world.ts";

const KINDS = [
  "user",
  "swarm",
  "membership",
  "emailMembership",
  "agent",
  "tool",
  "assignment",
  "message",
  "flag",
  "run",
  "bill",
  "webhook",
] as const;

const GUARDRAIL = ["No cards", "pattern", "input", '{"pattern": "card"}'];

/** The same place in the same list always has the same id, so that a failing example reads the same every time. */
export function idOf(kind: (typeof KINDS)[number], place: number): string {
  const kindDigits = KINDS.indexOf(kind).toString(16).padStart(4, "0");
  return `00000000-0000-4000-8000-${kindDigits}${place.toString(16).padStart(8, "0")}`;
}

/** The statements that make the world, for the owner of the schema. */
export function storeWorld(world: RandomWorld): string {
  const statements = [
    // Those that every database begins with; a world has its own.
    "delete from public.tools;",
    insert("auth.users (id, email, proven_email)", world.users, (user, place) => [
      idOf("user", place),
      `user${place}@example.test`,
      user.hasProvenEmail ? `user${place}@example.test` : null,
    ]),
    insert("auth.sessions (id, user_id, api_key_hash)", world.users, (_, place) => [
      idOf("user", place),
      idOf("user", place),
      idOf("user", place),
    ]),
    insert("public.api_keys (id, user_id, name, scopes, prefix)", world.users, (_, place) => [
      idOf("user", place),
      idOf("user", place),
      "Key",
      "{read}",
      "sk_",
    ]),
    // One of each for every user, with the id of the user.
    insert("public.eval_datasets (id, user_id, name)", world.users, (_, place) => [...ownIds(place, 2), "Dataset"]),
    insert("public.eval_cases (id, user_id, dataset_id, name, input, expectation)", world.users, (_, place) => [
      ...ownIds(place, 3),
      "Case",
      "hello",
      '{"kind": "exact", "text": "hello"}',
    ]),
    insert("public.eval_runs (id, user_id, dataset_id, agent_version)", world.users, (_, place) => [
      ...ownIds(place, 3),
      "1",
    ]),
    insert(
      "public.eval_results (id, user_id, eval_run_id, case_id, case_name, input, expectation, passed)",
      world.users,
      (_, place) => [...ownIds(place, 4), "Case", "hello", "{}", "true"],
    ),
    insert("public.swarms (id, owner_id, name)", world.swarms, ({ owner }, place) => [
      idOf("swarm", place),
      idOf("user", owner),
      "Swarm",
    ]),
    insert("public.schedules (id, user_id, name, swarm_id, message, cron)", world.swarms, ({ owner }, place) => [
      idOf("user", place),
      idOf("user", owner),
      "Schedule",
      idOf("swarm", place),
      "Report.",
      "0 9 * * *",
    ]),
    insert("public.triggers (id, user_id, name, swarm_id, message, verification)", world.swarms, ({ owner }, place) => [
      idOf("user", place),
      idOf("user", owner),
      "Trigger",
      idOf("swarm", place),
      "An order.",
      "stripe",
    ]),
    insert("public.trigger_calls (id, trigger_id, user_id, event_id, payload)", world.swarms, ({ owner }, place) => [
      idOf("user", place),
      idOf("user", place),
      idOf("user", owner),
      "evt_1",
      "{}",
    ]),
    insert("public.swarm_members (id, swarm_id, user_id, role, status)", world.memberships, (membership, place) => [
      idOf("membership", place),
      idOf("swarm", membership.swarm),
      idOf("user", membership.user),
      membership.role,
      membership.isActive ? "active" : "invited",
    ]),
    insert("public.swarm_members (id, swarm_id, invited_email)", world.emailMemberships, (membership, place) => [
      idOf("emailMembership", place),
      idOf("swarm", membership.swarm),
      `user${membership.user}@example.test`,
    ]),
    insert("public.agents (id, user_id, name)", world.agents, ({ owner }, place) => [
      idOf("agent", place),
      idOf("user", owner),
      "A",
    ]),
    insert(
      "public.swarm_agents (agent_id, swarm_id)",
      world.agents.flatMap(({ swarms }, agent) => swarms.map((swarm) => ({ agent, swarm }))),
      ({ agent, swarm }) => [idOf("agent", agent), idOf("swarm", swarm)],
    ),
    insert(
      "public.tools (id, owner_id, name, description, kind, visibility)",
      world.tools,
      ({ owner, visibility }, place) => [
        idOf("tool", place),
        owner === null ? null : idOf("user", owner),
        `tool${place}`,
        "a tool",
        owner === null ? "builtin" : "http",
        visibility,
      ],
    ),
    insert("public.agent_tools (id, agent_id, tool_id)", world.assignments, ({ agent, tool }, place) => [
      idOf("assignment", place),
      idOf("agent", agent),
      idOf("tool", tool),
    ]),
    insert("public.messages (id, swarm_id, sender_user_id, content)", world.messages, ({ swarm, user }, place) => [
      idOf("message", place),
      idOf("swarm", swarm),
      idOf("user", user),
      "hello",
    ]),
    "update public.messages set content = 'hello, all';",
    insert(
      "public.conversation_summaries (agent_id, swarm_id, up_to_seq, text)",
      world.agents.flatMap(({ swarms }, agent) => swarms.map((swarm) => ({ agent, swarm }))),
      ({ agent, swarm }) => [idOf("agent", agent), idOf("swarm", swarm), "1000", "They said hello."],
    ),
    insert(
      "public.message_flags (id, message_id, flagged_by)",
      world.messages.flatMap(({ flaggedBy }, message) => (flaggedBy === null ? [] : [{ flaggedBy, message }])),
      ({ flaggedBy, message }) => [idOf("flag", message), idOf("message", message), idOf("user", flaggedBy)],
    ),
    // One for each member, with the id of the membership.
    insert(
      "public.read_positions (id, swarm_id, user_id, last_read_seq)",
      world.memberships,
      ({ swarm, user }, place) => [idOf("membership", place), idOf("swarm", swarm), idOf("user", user), "1"],
    ),
    // One for each, with the id of its agent or swarm.
    insert("public.guardrails (id, agent_id, name, kind, stage, config)", world.agents, (_, place) => [
      idOf("agent", place),
      idOf("agent", place),
      ...GUARDRAIL,
    ]),
    insert("public.guardrails (id, swarm_id, name, kind, stage, config)", world.swarms, (_, place) => [
      idOf("swarm", place),
      idOf("swarm", place),
      ...GUARDRAIL,
    ]),
    ...world.turns.map(storeTurn),
    insert("public.usage_records (id, payer_id, user_id, framework, model)", world.bills, ({ payer, user }, place) => [
      idOf("bill", place),
      idOf("user", payer),
      idOf("user", user),
      "provider_a",
      "m",
    ]),
    insert("public.webhooks (id, user_id, name, url, events)", world.webhooks, ({ owner }, place) => [
      idOf("webhook", place),
      idOf("user", owner),
      "hook",
      "https://example.test/",
      "{agent.created}",
    ]),
  ];
  return statements.join("\n");
}

function ownIds(place: number, count: number): string[] {
  return Array.from({ length: count }, () => idOf("user", place));
}

/** A run with one turn, one tool call and one model call of it with its prompt, and one event; the id of the run stands for all of them. */
function storeTurn({ swarm, agent, isRestricted }: RandomWorld["turns"][number], place: number): string {
  const run = `'${idOf("run", place)}'`;
  const where = `'${idOf("swarm", swarm)}', '${idOf("agent", agent)}'`;
  return `
    insert into public.runs (id, swarm_id, strategy) values (${run}, '${idOf("swarm", swarm)}', 'parallel');
    insert into public.run_turns (id, run_id, swarm_id, agent_id, agent_name, position, framework, model)
      values (${run}, ${run}, ${where}, 'A', 0, 'provider_a', 'm');
    insert into public.tool_executions (id, run_id, turn_id, swarm_id, agent_id, tool_name, tool_call_id, status)
      values (${run}, ${run}, ${run}, ${where}, 't', 'c', 'running');
    insert into public.model_calls (id, run_id, turn_id, swarm_id, agent_id, attempt, framework, model, status, duration_ms,
      started_at, finished_at)
      values (${run}, ${run}, ${run}, ${where}, 1, 'provider_a', 'm', 'succeeded', 1, now(), now());
    insert into public.model_call_prompts (model_call_id, swarm_id, agent_id, kept_messages, messages, tool_choice, settings,
      sha256) values (${run}, ${where}, 0, '[]', 'auto', '{}', '');
    insert into public.tool_execution_payloads (tool_execution_id, swarm_id, agent_id) values (${run}, ${where});
    insert into public.run_events (run_id, seq, swarm_id, agent_id, restricted, type, data)
      values (${run}, 1, ${where}, ${isRestricted}, 'tool', '{}');`;
}

function insert<T>(into: string, rows: readonly T[], valuesOf: (row: T, place: number) => (string | null)[]): string {
  if (rows.length === 0) return "";
  const texts = rows.map((row, place) =>
    valuesOf(row, place)
      .map((value) => (value === null ? "null" : `'${value}'`))
      .join(", "),
  );
  return `insert into ${into} values ${texts.map((text) => `(${text})`).join(", ")};`;
}
