import type { UsageRow } from "../../data/usage-rows.ts";

const HEAD = [
  "day",
  "agent_id",
  "agent",
  "swarm_id",
  "swarm",
  "framework",
  "model",
  "turns",
  "input_tokens",
  "cached_input_tokens",
  "output_tokens",
  "reasoning_tokens",
  "cost_usd",
];

export interface Names {
  readonly agents: ReadonlyMap<string, string>;
  readonly swarms: ReadonlyMap<string, string>;
}

export function writeCsv(rows: readonly UsageRow[], { agents, swarms }: Names): string {
  const lines = rows.map((row) => [
    row.day,
    row.agent_id,
    agents.get(row.agent_id ?? "") ?? "",
    row.swarm_id,
    swarms.get(row.swarm_id ?? "") ?? "",
    row.framework,
    row.model,
    row.turns,
    row.input_tokens,
    row.cached_input_tokens,
    row.output_tokens,
    row.reasoning_tokens,
    row.cost_usd,
  ]);
  return [HEAD, ...lines]
    .map((cells) => cells.map(writeCell).join(","))
    .join("\r\n")
    .concat("\r\n");
}

function writeCell(value: string | number | null): string {
  if (typeof value === "number") return String(value);
  // Spreadsheets would evaluate names that begin like a formula.
  const text = (value ?? "").replace(/^[=+\-@\t\r]/, "'$&");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
