import type { AgentVersion } from "../../data/agent-versions.ts";

/** What decides how an agent answers. */
export type ComparedVersion = Pick<
  AgentVersion,
  "role" | "framework" | "model" | "system_prompt" | "settings" | "tools" | "guardrails"
>;

interface Difference {
  readonly label: string;
  /** The texts of the earlier and of the later version, with a line for each part. */
  readonly before: string;
  readonly after: string;
}

const FIELDS: readonly { readonly label: string; read(version: ComparedVersion): string | null }[] = [
  { label: "Role", read: ({ role }) => role },
  { label: "Provider", read: ({ framework }) => framework },
  { label: "Model", read: ({ model }) => model ?? "default model" },
  { label: "System prompt", read: ({ system_prompt: prompt }) => prompt },
  { label: "Settings", read: ({ settings }) => renderObject(settings) },
  { label: "Tools", read: ({ tools }) => tools.map(renderTool).join("\n") },
  { label: "Guardrails", read: ({ guardrails }) => guardrails.map(renderGuardrail).join("\n") },
];

/** The fields that differ between two versions. */
export function compareVersions(from: ComparedVersion, to: ComparedVersion): readonly Difference[] {
  return FIELDS.flatMap(({ label, read }) => {
    const [before, after] = [read(from) ?? "", read(to) ?? ""];
    return before === after ? [] : [{ label, before, after }];
  });
}

/** A line for each member, in the order of their names. */
function renderObject(value: Readonly<Record<string, unknown>>): string {
  return Object.entries(value)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, member]) => `${key}: ${JSON.stringify(member)}`)
    .join("\n");
}

/** A line for the assignment, and indented ones for what the tool is. */
function renderTool(tool: ComparedVersion["tools"][number]): string {
  const { name, enabled, configuration, approver, definition } = tool;
  const decided = approver === null ? "" : ` (${approver} approves)`;
  const configured = Object.keys(configuration).length === 0 ? "" : ` ${JSON.stringify(configuration)}`;
  const head = `${name}${enabled ? "" : " (disabled)"}${decided}${configured}`;
  return definition === null ? head : `${head}\n${indent(renderObject({ ...definition }))}`;
}

function renderGuardrail(guardrail: ComparedVersion["guardrails"][number]): string {
  const { guardrail_id: _, name, is_active: isActive, ...rest } = guardrail;
  return `${name}${isActive ? "" : " (disabled)"}\n${indent(renderObject(rest))}`;
}

function indent(lines: string): string {
  return lines.replaceAll(/^/gm, "  ");
}
