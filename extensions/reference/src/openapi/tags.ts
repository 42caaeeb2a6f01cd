import { ACCOUNT_OPERATIONS } from "../operations/account-operations.ts";
import { ADMIN_OPERATIONS } from "../operations/admin-operations.ts";
import { AGENT_OPERATIONS } from "../operations/agent-operations.ts";
import { FACTOR_OPERATIONS } from "../operations/factor-operations.ts";
import { MAIL_OPERATIONS } from "../operations/mail-operations.ts";
import { OAUTH_CLIENT_OPERATIONS } from "../operations/oauth-client-operations.ts";
import type { OperationTexts } from "../operations/operation-text.ts";
import { PASSKEY_OPERATIONS } from "../operations/passkey-operations.ts";
import { PROGRAM_OPERATIONS } from "../operations/program-operations.ts";
import { PROVIDER_OPERATIONS } from "../operations/provider-operations.ts";
import { SCHEDULE_OPERATIONS } from "../operations/schedule-operations.ts";
import { TRIGGER_OPERATIONS } from "../operations/trigger-operations.ts";
import { SERVICE_OPERATIONS } from "../operations/service-operations.ts";
import { SWARM_OPERATIONS } from "../operations/swarm-operations.ts";
import { WEBHOOK_OPERATIONS } from "../operations/webhook-operations.ts";

interface Tag {
  readonly name: string;
  readonly description: string;
  readonly operations: OperationTexts;
}

const [REALTIME, SERVICE] = splitBy(SERVICE_OPERATIONS, (operation) => operation.includes(" /realtime/"));

/** In the order in which a reader meets them. */
export const TAGS: readonly Tag[] = [
  {
    name: "Agents",
    description: "Functions for runs, tools, invitations to swarms, and batches of table operations.",
    operations: {
      ...AGENT_OPERATIONS,
      ...SCHEDULE_OPERATIONS,
      ...TRIGGER_OPERATIONS,
      ...SWARM_OPERATIONS,
      ...PROVIDER_OPERATIONS,
    },
  },
  {
    name: "Webhooks",
    description:
      "Functions for webhooks and deliveries, in addition to the tables `webhooks` and `webhook_deliveries`.",
    operations: WEBHOOK_OPERATIONS,
  },
  {
    name: "Accounts",
    description:
      "Sign-up, sign-in and sign-out. Paths and bodies are those of GoTrue, so `supabase.auth` works unmodified.",
    operations: ACCOUNT_OPERATIONS,
  },
  {
    name: "Passkeys",
    description: "Sign-in with WebAuthn. `supabase.auth` makes these calls around those of the browser.",
    operations: PASSKEY_OPERATIONS,
  },
  {
    name: "Mail",
    description: "Codes and links that are sent by mail. No response reveals whether an address has an account.",
    operations: MAIL_OPERATIONS,
  },
  {
    name: "Second factors and keys",
    description: "Authenticator apps, security keys, and the public keys that access tokens are verified with.",
    operations: FACTOR_OPERATIONS,
  },
  {
    name: "Programs",
    description: "The authorization server (OAuth 2.1) for programs that people let in, and what people do about them.",
    operations: PROGRAM_OPERATIONS,
  },
  {
    name: "Administration",
    description: "Accounts of other users, for the service role. Its key must never be part of client code.",
    operations: ADMIN_OPERATIONS,
  },
  {
    name: "Connected programs",
    description: "The authorization server: OAuth 2.1 for programs that people let in.",
    operations: OAUTH_CLIENT_OPERATIONS,
  },
  {
    name: "Realtime",
    description: "The WebSocket, and broadcasts without one.",
    operations: REALTIME,
  },
  { name: "Service", description: "Probes and these documents, which need no key.", operations: SERVICE },
];

function splitBy(texts: OperationTexts, belongs: (operation: string) => boolean): [OperationTexts, OperationTexts] {
  const entries = Object.entries(texts);
  return [
    Object.fromEntries(entries.filter(([operation]) => belongs(operation))),
    Object.fromEntries(entries.filter(([operation]) => !belongs(operation))),
  ];
}
