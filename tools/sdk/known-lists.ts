import {
  AGENT_STATUS_REASONS,
  AGENT_STATUSES,
  API_KEY_SCOPES,
  DELIVERY_STATUSES,
  EVAL_RUN_STATUSES,
  EVENT_TYPES,
  FRAMEWORKS,
  GUARDRAIL_ACTIONS,
  GUARDRAIL_KINDS,
  GUARDRAIL_STAGES,
  MESSAGE_CONTENT_TYPES,
  MESSAGE_FLAG_SOURCES,
  MESSAGE_FLAG_STATUSES,
  MESSAGE_SENDER_TYPES,
  FINAL_RUN_STATUSES,
  GRANT_AUDIENCES,
  GRANT_PARTIES,
  GRANT_TRANSCRIPTS,
  RUN_STATUSES,
  RUN_STOP_REASONS,
  SWARM_MEMBER_STATUSES,
  SWARM_ROLES,
  SWARM_STATUSES,
  SWARM_STRATEGIES,
  TOOL_KINDS,
  TOOL_VISIBILITIES,
} from "@swarmbase/sdk";

interface KnownList {
  readonly name: string;
  /** The file of clients/sdk/src that declares the type. */
  readonly file: string;
  readonly values: readonly string[];
}

/** Enumerations of the interface that have a named type. */
const KNOWN_LISTS: readonly KnownList[] = [
  { name: "AgentStatus", file: "agents", values: AGENT_STATUSES },
  { name: "AgentStatusReason", file: "agents", values: AGENT_STATUS_REASONS },
  { name: "Framework", file: "agents", values: FRAMEWORKS },
  { name: "ApiKeyScope", file: "api-keys", values: API_KEY_SCOPES },
  { name: "DeliveryStatus", file: "deliveries", values: DELIVERY_STATUSES },
  { name: "EvalRunStatus", file: "evals", values: EVAL_RUN_STATUSES },
  { name: "EventType", file: "events", values: EVENT_TYPES },
  { name: "GrantAudience", file: "grants", values: GRANT_AUDIENCES },
  { name: "GrantParty", file: "grants", values: GRANT_PARTIES },
  { name: "GrantTranscripts", file: "grants", values: GRANT_TRANSCRIPTS },
  { name: "GuardrailAction", file: "guardrails", values: GUARDRAIL_ACTIONS },
  { name: "GuardrailKind", file: "guardrails", values: GUARDRAIL_KINDS },
  { name: "GuardrailStage", file: "guardrails", values: GUARDRAIL_STAGES },
  { name: "MessageContentType", file: "messages", values: MESSAGE_CONTENT_TYPES },
  { name: "MessageFlagSource", file: "messages", values: MESSAGE_FLAG_SOURCES },
  { name: "MessageFlagStatus", file: "messages", values: MESSAGE_FLAG_STATUSES },
  { name: "MessageSenderType", file: "messages", values: MESSAGE_SENDER_TYPES },
  { name: "FinalRunStatus", file: "runs", values: FINAL_RUN_STATUSES },
  { name: "RunStatus", file: "runs", values: RUN_STATUSES },
  { name: "RunStopReason", file: "runs", values: RUN_STOP_REASONS },
  { name: "SwarmMemberStatus", file: "swarms", values: SWARM_MEMBER_STATUSES },
  { name: "SwarmRole", file: "swarms", values: SWARM_ROLES },
  { name: "SwarmStatus", file: "swarms", values: SWARM_STATUSES },
  { name: "SwarmStrategy", file: "swarms", values: SWARM_STRATEGIES },
  { name: "ToolKind", file: "tools", values: TOOL_KINDS },
  { name: "ToolVisibility", file: "tools", values: TOOL_VISIBILITIES },
];

/** Hand-written types. */
const WRITTEN_TYPES: Readonly<Record<string, string>> = {
  AgentSettings: "agents",
  AppEventType: "events",
  AgentVersionTool: "agents",
  AgentVersionGuardrail: "guardrails",
  GuardrailConfig: "guardrails",
  PromptMessage: "prompts",
  PromptTool: "prompts",
  EvalExpectation: "evals",
  FeedConsumer: "events",
  ScheduleOutcome: "schedules",
  SwarmSettings: "swarms",
  SwarmbaseEvent: "events",
  AgentRecord: "event-types/shared",
  EventActor: "event-types/shared",
  EventFault: "event-types/shared",
  EventFlag: "event-types/shared",
  EventUsage: "event-types/shared",
  PendingWait: "function-types/run-answers",
  SwarmRecord: "event-types/shared",
  Json: "json",
  JsonObject: "json",
};

/** The name of the enumeration if it has one, otherwise its values. */
export function renderList(values: readonly string[]): string {
  const known = KNOWN_LISTS.find((list) => isSameSet(list.values, values));
  return known?.name ?? values.map((value) => JSON.stringify(value)).join(" | ");
}

/** The values of a named enumeration; null for another name. */
export function valuesOf(name: string): readonly string[] | null {
  return KNOWN_LISTS.find((list) => list.name === name)?.values ?? null;
}

/** Imports of the sdk types that a text uses and does not declare, for a file one folder below clients/sdk/src. */
export function renderImports(text: string): string {
  const files = new Map<string, string[]>();
  const declared = [...KNOWN_LISTS.map(({ name, file }) => [name, file] as const), ...Object.entries(WRITTEN_TYPES)];
  for (const [name, file] of declared) {
    const isNamed = new RegExp(`\\b${name}\\b`).test(text) && !text.includes(`export interface ${name} {`);
    if (isNamed) files.set(file, [...(files.get(file) ?? []), name]);
  }
  return [...files]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([file, names]) => `import type { ${names.toSorted().join(", ")} } from "../${file}.ts";\n`)
    .join("");
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value) => other.includes(value));
}
