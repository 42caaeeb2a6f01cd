import type { AgentVersion } from "../../data/agent-versions.ts";

export interface Difference {
  readonly label: string;
  /** Lines that only the earlier version has, and that only the later one has. */
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

const FIELDS: readonly { readonly label: string; read(version: AgentVersion): string | null }[] = [
  { label: "Role", read: ({ role }) => role },
  { label: "Provider", read: ({ framework }) => framework },
  { label: "Model", read: ({ model }) => model ?? "default model" },
  { label: "System prompt", read: ({ system_prompt: prompt }) => prompt },
  { label: "Settings", read: ({ settings }) => renderObject(settings) },
  { label: "Tools", read: ({ tools }) => renderTools(tools) },
];

/** What changed from one version to another, by field. */
export function compareVersions(from: AgentVersion, to: AgentVersion): readonly Difference[] {
  return FIELDS.flatMap(({ label, read }) => {
    const [before, after] = [read(from) ?? "", read(to) ?? ""];
    return before === after ? [] : [{ label, ...compareLines(toLines(before), toLines(after)) }];
  });
}

/** Without the lines that both begin and end with. */
function compareLines(before: readonly string[], after: readonly string[]): Pick<Difference, "removed" | "added"> {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return { removed: before.slice(start, before.length - end), added: after.slice(start, after.length - end) };
}

function toLines(text: string): readonly string[] {
  return text === "" ? [] : text.split("\n");
}

/** A line for each member. The database keeps the members of an object in a fixed order. */
function renderObject(value: Readonly<Record<string, unknown>>): string {
  return Object.entries(value)
    .map(([key, member]) => `${key}: ${JSON.stringify(member)}`)
    .join("\n");
}

function renderTools(tools: AgentVersion["tools"]): string {
  return tools
    .map(({ name, enabled, configuration }) => {
      const configured = Object.keys(configuration).length === 0 ? "" : ` ${JSON.stringify(configuration)}`;
      return `${name}${enabled ? "" : " (disabled)"}${configured}`;
    })
    .join("\n");
}
