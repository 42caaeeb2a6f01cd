/** What an API key may do for its user. A key has exactly the scopes that it names. */
export const API_KEY_SCOPES = ["read", "write", "run", "approve", "share", "secrets"] as const;

export type ApiKeyScope = (typeof API_KEY_SCOPES)[number];

/** The agents and swarms that an API key is bound to. */
export interface ApiKeyResources {
  readonly agents: readonly string[];
  readonly swarms: readonly string[];
}

/** The columns that only a key with the scope `secrets` reads, by table of the schema `public`. */
export const SECRET_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  webhooks: ["secret", "headers"],
  tools: ["config"],
  agent_tools: ["configuration"],
  // What a version has of tools and guardrails includes their configuration.
  agent_versions: ["tools", "guardrails"],
  guardrails: ["secret", "config"],
};
