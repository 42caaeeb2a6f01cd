import type { ExtensionSettingRow } from "swarmbase/extension";

export const SETTINGS = [
  {
    name: "OPERATOR_ENABLED",
    kind: "boolean",
    default: false,
    secret: false,
    description: "Serves `/operator/v1` and the operator pages of the console.",
  },
  {
    name: "OPERATOR_SIGN_IN_TTL_SECONDS",
    kind: "integer",
    min: 60,
    max: 86_400,
    default: 1_800,
    secret: false,
    description: "How long after a sign-in an operator may call `/operator/v1`.",
  },
  {
    name: "OPERATOR_READS_CONTENT",
    kind: "boolean",
    default: false,
    secret: false,
    description:
      "Shows operators the texts of conversations: messages, prompts, inputs and outputs of tools, payloads of webhooks. The audit log then says who has read which columns.",
  },
  {
    name: "OPERATOR_AUDIT_RETENTION_DAYS",
    kind: "integer",
    min: 1,
    max: 3650,
    default: 400,
    secret: false,
    description: "How long entries of the audit log are kept.",
  },
  {
    name: "OPERATOR_LOG_LINES_KEPT",
    kind: "integer",
    min: 1000,
    max: 10_000_000,
    default: 200_000,
    secret: false,
    description: "How many log lines of all nodes are kept for operators, for at most 24 hours.",
  },
] as const satisfies readonly ExtensionSettingRow[];

export type OperatorSettings = typeof SETTINGS;
