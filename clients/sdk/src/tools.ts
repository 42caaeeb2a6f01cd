/** The kinds that the interface names. `mcp` is that of the extension `mcp-client`. */
export const TOOL_KINDS = ["builtin", "http", "mcp", "client"] as const;
/** One of these, or one that an extension adds: `<extension>.<kind>`, or the kind alone. */
export type ToolKind = (typeof TOOL_KINDS)[number] | "a2a" | "rpc" | "function" | `${string}.${string}`;

/** The first one is the default of a new tool. */
export const TOOL_VISIBILITIES = ["private", "shared", "public"] as const;
export type ToolVisibility = (typeof TOOL_VISIBILITIES)[number];
