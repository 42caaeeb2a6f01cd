import { FRAMEWORKS } from "@swarmbase/sdk";
import { record, TEXT, TEXT_OR_NULL, TRUTH } from "../schemas/schema-parts.ts";
import type { OperationTexts } from "./operation-text.ts";

export const PROVIDER_OPERATIONS: OperationTexts = {
  "POST /functions/v1/provider-keys": {
    id: "addProviderKey",
    summary: "Give a service its first key of a provider",
    description:
      "Only while all providers are simulated and no other machine reaches the service; 403 otherwise. The key is tested with one small call, which the provider charges, and stored if it works. The function is that of the extension `providers`, which is loaded by default.",
    body: {
      fields: {
        api_key: "the key",
        vendor: "`openai`, `anthropic` or `google`; needed only where the key does not tell",
      },
      examples: { "a key": { api_key: "sk-…" } },
    },
    answers: {
      200: {
        description: "What became of the key. One that does not work is a result, too",
        schema: record({
          framework: { type: "string", enum: FRAMEWORKS },
          name: TEXT,
          is_stored: TRUTH,
          test: record({
            is_ok: TRUTH,
            message: TEXT_OR_NULL,
            model: TEXT_OR_NULL,
            duration_ms: { type: "number", minimum: 0 },
          }),
        }),
        example: {
          framework: "provider_a",
          name: "OpenAI",
          is_stored: true,
          test: { is_ok: true, message: null, model: "gpt-5-mini", duration_ms: 600 },
        },
      },
    },
    errors: ["VALIDATION_ERROR", "FORBIDDEN"],
    javascript: `const { data } = await supabase.functions.invoke("provider-keys", { body: { api_key } });`,
  },
};
