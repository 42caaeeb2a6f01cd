/** The kinds that the interface names. `mcp` is that of the extension `mcp-client`. */
export const TOOL_KINDS = ["builtin", "http", "mcp", "client", "swarm"] as const;
/** One of these, or one that an extension adds: `<extension>.<kind>`, or the kind alone. */
export type ToolKind = (typeof TOOL_KINDS)[number] | "a2a" | "rpc" | "function" | "schedule" | `${string}.${string}`;

/** The first one is the default of a new tool. */
export const TOOL_VISIBILITIES = ["private", "shared", "public"] as const;
export type ToolVisibility = (typeof TOOL_VISIBILITIES)[number];

/** Whether calls of a tool are made in the name of the person who asks. */
export function actsForAsker({ kind, config }: { readonly kind: unknown; readonly config: unknown }): boolean {
  if (kind === "rpc" || kind === "function" || kind === "schedule") return true;
  if (kind === "client" || kind === "builtin") return false;
  return memberOf(config, "identity") === "required" || memberOf(memberOf(config, "auth"), "account") === "asker";
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
