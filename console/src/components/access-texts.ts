/** What API keys and connected programs may do, in words. */
export const SCOPE_TEXTS = {
  read: { label: "Read", hint: "Read what you can read, except secrets." },
  write: { label: "Write", hint: "Create, change and delete what you can, and send messages." },
  run: { label: "Run", hint: "Let agents answer, and cancel their runs. Enough to ask an agent." },
  approve: { label: "Approve", hint: "Decide about tool calls that wait for your approval." },
  share: { label: "Share", hint: "Invite members; with Read, also create and change webhooks." },
  secrets: { label: "Secrets", hint: "With Read, also see secrets of webhooks, tools and assignments." },
} as const;

/** What only connected programs ask for: who the user is, and for how long. */
const IDENTITY_TEXTS: Readonly<Record<string, { readonly label: string; readonly hint: string }>> = {
  openid: { label: "Recognise you", hint: "Know which account it is, to sign you in there." },
  email: { label: "E-mail address", hint: "See your e-mail address." },
  profile: { label: "Profile", hint: "See your name and picture." },
  offline_access: { label: "Stay connected", hint: "Go on while you are away, until you disconnect it." },
};

/** All that a program can ask for. */
export const PROGRAM_SCOPES: readonly string[] = Object.keys({ ...SCOPE_TEXTS, ...IDENTITY_TEXTS }).filter(
  (scope) => scope !== "secrets",
);

/** Whether the scope permits calls, and is no fact about the user. */
export function isAccessScope(scope: string): scope is keyof typeof SCOPE_TEXTS {
  return Object.hasOwn(SCOPE_TEXTS, scope);
}

export function describeScope(scope: string): { readonly label: string; readonly hint: string } {
  return isAccessScope(scope) ? SCOPE_TEXTS[scope] : (IDENTITY_TEXTS[scope] ?? { label: scope, hint: "" });
}

const REACHES: Readonly<Record<string, string>> = {
  "/mcp": "your agents and data as tools, over MCP",
  "/a2a": "your agents, over A2A",
};

/** What the tokens of a connected program are for, by the address. */
export function describeReach(resource: string): string {
  return REACHES[URL.parse(resource)?.pathname ?? ""] ?? "the API of this service";
}
