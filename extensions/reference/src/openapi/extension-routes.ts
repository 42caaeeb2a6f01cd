import type { DescribedRoute } from "swarmbase/extension";

/** Functions of extensions that are loaded by default. */
export const EXTENSION_ROUTES: readonly DescribedRoute[] = [
  {
    method: "POST",
    path: "/functions/v1/schedules",
    access: "account",
    limits: ["api"],
    body: {
      type: "object",
      properties: {
        action: { type: "string", const: "run_now" },
        schedule_id: { type: "string", format: "uuid" },
      },
      required: ["action", "schedule_id"],
    },
  },
  {
    method: "POST",
    path: "/functions/v1/triggers",
    access: "account",
    limits: ["api"],
    body: {
      oneOf: [
        {
          type: "object",
          properties: {
            action: { type: "string", const: "set_secret" },
            trigger_id: { type: "string", format: "uuid" },
            secret: { type: "string", minLength: 16, maxLength: 512 },
          },
          required: ["action", "trigger_id"],
        },
        {
          type: "object",
          properties: {
            action: { type: "string", const: "replay" },
            call_id: { type: "string", format: "uuid" },
          },
          required: ["action", "call_id"],
        },
      ],
    },
  },
  {
    method: "POST",
    path: "/functions/v1/provider-keys",
    access: "user",
    limits: ["ai"],
    body: {
      type: "object",
      properties: { api_key: { type: "string" }, vendor: { type: ["string", "null"] } },
      required: ["api_key"],
      additionalProperties: false,
    },
  },
];
