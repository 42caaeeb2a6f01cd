import { FRAMEWORKS, type Framework } from "@swarmbase/sdk";
import type { Provider, Providers } from "./provider.ts";
import { identifyProvider } from "./provider-identity.ts";

/** What people call the provider of each framework. */
export type ProviderNames = Readonly<Record<Framework, string>>;

/** By the names of OpenTelemetry's conventions. */
const TITLES: Readonly<Record<string, string>> = {
  anthropic: "Anthropic",
  "aws.bedrock": "Amazon Bedrock",
  "azure.ai.inference": "Azure AI",
  "azure.ai.openai": "Azure OpenAI",
  cohere: "Cohere",
  deepseek: "DeepSeek",
  "gcp.gemini": "Google Gemini",
  "gcp.vertex_ai": "Google Vertex AI",
  groq: "Groq",
  "ibm.watsonx.ai": "IBM watsonx",
  mistral_ai: "Mistral AI",
  moonshot_ai: "Moonshot AI",
  openai: "OpenAI",
  perplexity: "Perplexity",
  simulated: "Simulated",
  x_ai: "xAI",
};

/** Two frameworks can have providers of the same name, which then end in a letter. Addresses are not shown: they may be internal. */
export function nameProviders(providers: Providers): ProviderNames {
  const titles = Object.values(providers).map(titleOf);
  const nameOf = (provider: Provider): string => {
    const title = titleOf(provider);
    const isUnique = titles.filter((each) => each === title).length === 1;
    return isUnique ? title : `${title} ${letterOf(provider)}`;
  };
  const { provider_a, provider_b, provider_c } = providers;
  return { provider_a: nameOf(provider_a), provider_b: nameOf(provider_b), provider_c: nameOf(provider_c) };
}

/** For new agents whose maker has not chosen: the first one that can answer. */
export function preferredFramework(providers: Providers): Framework {
  return FRAMEWORKS.find((framework) => providers[framework].state === "ready") ?? FRAMEWORKS[0];
}

function titleOf(provider: Provider): string {
  if (provider.state === "unconfigured") return `Provider ${letterOf(provider)}`;
  return TITLES[identifyProvider(provider).name] ?? "OpenAI-compatible";
}

/** `provider_a` → "A" */
function letterOf({ framework }: Provider): string {
  return framework.slice("provider_".length).toUpperCase();
}
