import assert from "node:assert/strict";
import { test } from "node:test";
import { catalogueOf, loadProviders, nameProviders } from "../../../src/agents/index.ts";
import { loadSettings } from "../../../src/config/index.ts";

const CASES: readonly { readonly title: string; readonly env: Record<string, string>; readonly names: string[] }[] = [
  { title: "without keys", env: {}, names: ["Simulated A", "Simulated B", "Simulated C"] },
  {
    title: "of vendors",
    env: { PROVIDER_A_API_KEY: "a", PROVIDER_B_API_KEY: "b", PROVIDER_C_API_KEY: "c" },
    names: ["OpenAI", "Anthropic", "Google Gemini"],
  },
  {
    title: "at other addresses",
    env: {
      PROVIDER_A_KIND: "openai-compatible",
      PROVIDER_A_BASE_URL: "https://api.mistral.ai/v1",
      PROVIDER_A_API_KEY: "a",
      PROVIDER_B_KIND: "openai-compatible",
      PROVIDER_B_BASE_URL: "http://models.internal:8000/v1",
      PROVIDER_C_KIND: "simulated",
    },
    names: ["Mistral AI", "OpenAI-compatible", "Simulated"],
  },
];

for (const { title, env, names } of CASES)
  test(`providers ${title} have names`, () => {
    assert.deepEqual(Object.values(nameProviders(loadProviders(loadSettings(env), env))), names);
  });

test("fallbacks that can answer are known, and no others", () => {
  const env = { PROVIDER_A_API_KEY: "a", PROVIDER_B_API_KEY: "b", PROVIDER_C_KIND: "simulated" };
  const providers = loadProviders(loadSettings(env), env);
  const fallback = ["provider_b", "provider_c"] as const;
  const catalogue = catalogueOf({ ...providers, provider_a: { ...providers.provider_a, fallback } });
  assert.deepEqual([catalogue.provider_a.fallbacks, catalogue.provider_b.fallbacks], [["provider_b"], []]);
});
