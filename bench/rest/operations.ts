/** The measured operations, the same for all contenders. */
export const OPERATIONS = ["read one", "list 20", "list 20 with tools", "insert", "update"] as const;
export type Operation = (typeof OPERATIONS)[number];

export const READS: readonly Operation[] = ["read one", "list 20", "list 20 with tools"];

export const LIST_LIMIT = 20;
export const TOOLS_PER_AGENT = 2;

/** The row of an insert. Its owner is the caller. */
export const NEW_AGENT = {
  name: "Research assistant",
  role: "Finds sources",
  framework: "provider_a",
  system_prompt: "Be brief. ".repeat(20),
};

export const CHANGE = { name: "Renamed assistant", role: "Finds and checks sources" };
