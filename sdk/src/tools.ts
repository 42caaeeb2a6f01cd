/** The kinds of the core. */
export const TOOL_KINDS = ["builtin", "http", "mcp", "client"] as const;
/** A kind of the core, or one that an extension adds: `<extension>.<kind>`, or the name of the extension. */
export type ToolKind = (typeof TOOL_KINDS)[number] | "a2a" | `${string}.${string}`;

/** The first one is the default of a new tool. */
export const TOOL_VISIBILITIES = ["private", "shared", "public"] as const;
export type ToolVisibility = (typeof TOOL_VISIBILITIES)[number];
