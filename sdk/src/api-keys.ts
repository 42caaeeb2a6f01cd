/** What an API key may do for its user. Every key has `read`. */
export const API_KEY_SCOPES = ["read", "write", "run", "approve"] as const;

export type ApiKeyScope = (typeof API_KEY_SCOPES)[number];
