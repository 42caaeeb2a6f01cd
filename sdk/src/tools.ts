export const TOOL_KINDS = ["builtin", "http", "mcp"] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

/** The first one is the default of a new tool. */
export const TOOL_VISIBILITIES = ["private", "shared", "public"] as const;
export type ToolVisibility = (typeof TOOL_VISIBILITIES)[number];
