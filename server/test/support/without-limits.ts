/** For the environment of services under test, which are asked more often than a client would ask. */
export const WITHOUT_LIMITS = {
  LIMIT_API: "0",
  LIMIT_AUTH: "0",
  LIMIT_AI: "0",
  LIMIT_TOOLS: "0",
  LIMIT_WEBHOOKS: "0",
} as const;
