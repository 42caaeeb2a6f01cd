import type { ChangedRow, RowChanged } from "../../data/change.ts";
import type { Tone } from "../../components/badge.tsx";
import { formatDuration } from "../../components/formats.ts";
import { toPlainLine } from "../../components/to-plain-line.ts";
import type { ChangeType, Noun } from "./change-types.ts";

/** A change as a line of the event list. */
export interface DescribedChange {
  readonly noun: Noun;
  readonly type: ChangeType;
  readonly text: string;
  readonly tone: Tone;
  /** The path of the row's page; null if it was deleted or has no page. */
  readonly to: string | null;
}

/** The names of agents, swarms and webhooks, by id. */
export type Names = ReadonlyMap<string, string>;

type Description = Omit<DescribedChange, "noun" | "tone"> & { readonly tone?: Tone };

interface TableEvents {
  readonly noun: Noun;
  readonly tone?: Tone;
  describe(change: RowChanged, names: Names): Description;
}

const TABLES: Readonly<Record<RowChanged["table"], TableEvents>> = {
  agents: { noun: "agent", describe: describeAgent },
  messages: { noun: "message", describe: describeMessage },
  message_flags: { noun: "message", tone: "thinking", describe: describeFlag },
  runs: { noun: "run", describe: describeRun },
  swarms: { noun: "swarm", describe: (change) => describeNamed("swarm", change) },
  swarm_agents: { noun: "swarm", describe: describeSwarmAgent },
  swarm_members: { noun: "user", describe: describeMember },
  tools: { noun: "tool", describe: (change) => describeNamed("tool", change) },
  tool_executions: { noun: "tool", describe: describeCall },
  webhooks: { noun: "webhook", describe: describeWebhook },
  webhook_recoveries: { noun: "webhook", describe: describeRecovery },
  webhook_delivery_attempts: { noun: "webhook", describe: describeAttempt },
};

/** The tables whose changes are about a noun; null means all of them. */
export function listTables(noun: Noun | null): readonly RowChanged["table"][] | null {
  const tables = Object.keys(TABLES) as RowChanged["table"][];
  return noun === null ? null : tables.filter((table) => TABLES[table].noun === noun);
}

export function describeChange(change: RowChanged, names: Names): DescribedChange {
  const { noun, tone = "neutral", describe } = TABLES[change.table];
  return { noun, tone, ...describe(change, names) };
}

/** A row with a name and a page. */
function describeNamed(noun: "agent" | "swarm" | "tool" | "webhook", { kind, row }: RowChanged): Description {
  const name = textOf(row, "name");
  const to = `/${noun}s/${textOf(row, "id")}`;
  if (kind === "DELETE")
    return { type: `${noun}.deleted`, text: `${noun === "agent" ? "An" : "A"} ${noun} was removed`, to: null };
  if (kind === "INSERT") return { type: `${noun}.created`, text: `${name} was created`, to };
  return { type: `${noun}.updated`, text: `${name} was changed`, to };
}

function describeAgent(change: RowChanged): Description {
  const { kind, row } = change;
  const described = describeNamed("agent", change);
  // A run changes only `status_changed_at`; changes by the owner set `updated_at`.
  const isStatus = Date.parse(textOf(row, "status_changed_at")) > Date.parse(textOf(row, "updated_at"));
  if (kind !== "UPDATE" || !isStatus) return described;
  const status = textOf(row, "status");
  const tones: Readonly<Record<string, Tone>> = { thinking: "thinking", responding: "responding", error: "bad" };
  const text = `${textOf(row, "name")} is ${status}`;
  return { ...described, type: "agent.status_changed", text, tone: tones[status] ?? "neutral" };
}

function describeMessage({ kind, row }: RowChanged, names: Names): Description {
  const to = swarmPath(row);
  const sender = textOf(row, "sender_name");
  const place = inSwarm(row, names);
  if (kind === "DELETE" || textOf(row, "deleted_at") !== "")
    return { type: "message.deleted", text: `A message${place} was removed`, to: kind === "DELETE" ? null : to };
  const said = `${sender}${place}: ${toPlainLine(textOf(row, "content"))}`;
  if (kind === "INSERT") return { type: "message.created", text: said, to };
  if (row["flagged"] === true) return { type: "message.flagged", text: said, tone: "thinking", to };
  return { type: "message.updated", text: said, to };
}

function describeFlag({ kind, row }: RowChanged, names: Names): Description {
  const reason = textOf(row, "reason") || textOf(row, "category");
  const text =
    kind === "INSERT" ? `A message${inSwarm(row, names)} was flagged` : `A flag${inSwarm(row, names)} was changed`;
  return { type: "message.flagged", text: reason === "" ? text : `${text}: ${reason}`, to: swarmPath(row) };
}

const RUN_TONES: Readonly<Record<string, Tone>> = {
  running: "responding",
  requires_action: "thinking",
  waiting: "thinking",
  completed: "good",
  partial: "thinking",
  failed: "bad",
};
const RUN_LABELS: Readonly<Record<string, string>> = {
  queued: "is queued",
  running: "has begun",
  requires_action: "needs an approval or a result",
  waiting: "waits for a time or a signal",
  completed: "is complete",
  partial: "is partially completed",
  failed: "has failed",
  cancelled: "was stopped",
};

function describeRun({ row }: RowChanged, names: Names): Description {
  const status = textOf(row, "status") || "cancelled";
  const reason = textOf(row, "stop_reason").replaceAll("_", " ");
  return {
    type: `run.${status}` as ChangeType,
    text: `A run${inSwarm(row, names)} ${RUN_LABELS[status] ?? status}${reason === "" ? "" : ` (${reason})`}`,
    tone: RUN_TONES[status] ?? "neutral",
    to: `/runs/${textOf(row, "id")}`,
  };
}

function describeSwarmAgent({ kind, row }: RowChanged, names: Names): Description {
  const agent = names.get(textOf(row, "agent_id")) ?? "An agent";
  const to = swarmPath(row);
  const place = names.get(textOf(row, "swarm_id")) ?? "a swarm";
  if (kind === "DELETE") return { type: "swarm.agent_removed", text: `${agent} has left ${place}`, to };
  if (kind === "INSERT") return { type: "swarm.agent_added", text: `${agent} has joined ${place}`, to };
  return { type: "swarm.agent_updated", text: `${agent} was updated in ${place}`, to };
}

function describeMember({ kind, row }: RowChanged, names: Names): Description {
  const who = textOf(row, "invited_email") || "Someone";
  const to = swarmPath(row);
  const place = names.get(textOf(row, "swarm_id")) ?? "a swarm";
  if (kind === "DELETE") return { type: "user.removed", text: `Someone has left ${place}`, to };
  if (row["status"] === "invited") return { type: "user.invited", text: `${who} was invited to ${place}`, to };
  if (kind === "INSERT")
    return { type: "user.joined", text: `${who} has joined ${place} as ${textOf(row, "role")}`, to };
  return { type: "user.updated", text: `${who} is ${textOf(row, "role")} in ${place}`, to };
}

function describeCall({ row }: RowChanged, names: Names): Description {
  const call = `${names.get(textOf(row, "agent_id")) ?? "An agent"} → ${textOf(row, "tool_name")}`;
  const to = `/runs/${textOf(row, "run_id")}`;
  switch (row["status"]) {
    case "pending_approval":
      return { type: "tool.needs_approval", text: `${call} needs approval`, tone: "thinking", to };
    case "pending_client":
      return { type: "tool.needs_client", text: `${call} waits for the app`, tone: "thinking", to };
    case "waiting":
      return { type: "tool.waiting", text: `${call} waits`, tone: "thinking", to };
    case "running":
      return { type: "tool.running", text: `${call} is running`, tone: "responding", to };
    case "succeeded":
      return {
        type: "tool.executed",
        text: `${call} took ${formatDuration(Number(row["duration_ms"] ?? 0))}`,
        tone: "good",
        to,
      };
    default:
      return { type: "tool.error", text: `${call} ${textOf(row, "status").replaceAll("_", " ")}`, tone: "bad", to };
  }
}

function describeWebhook(change: RowChanged): Description {
  const { kind, row } = change;
  const described = describeNamed("webhook", change);
  const reason = textOf(row, "disabled_reason").replaceAll("_", " ");
  if (kind !== "UPDATE" || reason === "") return described;
  return { ...described, text: `${textOf(row, "name")} was disabled: ${reason}`, tone: "bad" };
}

function describeRecovery({ row }: RowChanged): Description {
  const isDone = row["status"] === "completed";
  return {
    type: isDone ? "recovery.completed" : "recovery.running",
    text: `${textOf(row, "recovered")} of ${textOf(row, "found")} failed deliveries were queued again`,
    tone: isDone ? "good" : "responding",
    to: `/webhooks/${textOf(row, "webhook_id")}?tab=recovery`,
  };
}

function describeAttempt({ row }: RowChanged, names: Names): Description {
  const code = row["status_code"];
  const isGood = typeof code === "number" && code >= 200 && code < 300;
  const answer = typeof code === "number" ? `answered ${code}` : `did not respond (${textOf(row, "error_code")})`;
  const about = textOf(row, "event_type") === "" ? "" : ` to ${textOf(row, "event_type")}`;
  const who = names.get(textOf(row, "webhook_id")) ?? textOf(row, "url");
  const attempt = row["attempt"] === 1 ? "" : `, attempt ${textOf(row, "attempt")}`;
  return {
    type: isGood ? "attempt.delivered" : "attempt.failed",
    text: `${who} ${answer}${about}${attempt}`,
    tone: isGood ? "good" : "bad",
    to: `/webhooks/${textOf(row, "webhook_id")}/deliveries/${textOf(row, "delivery_id")}`,
  };
}

function inSwarm(row: ChangedRow, names: Names): string {
  const name = names.get(textOf(row, "swarm_id"));
  return name === undefined ? "" : ` in ${name}`;
}

function swarmPath(row: ChangedRow): string | null {
  const id = textOf(row, "swarm_id");
  return id === "" ? null : `/swarms/${id}`;
}

function textOf(row: ChangedRow, name: string): string {
  const value = row[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
