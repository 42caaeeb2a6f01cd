import type { ProviderKind } from "../../config/index.ts";
import type { Provider } from "./provider.ts";

/** A provider by the names of OpenTelemetry's conventions for generative AI. */
export interface ProviderIdentity {
  /** `gen_ai.provider.name`. */
  readonly name: string;
  /** `gen_ai.operation.name` of a model call. */
  readonly operation: "chat" | "generate_content";
  /** Of a configured base URL; null for the vendor's own. */
  readonly address: string | null;
  readonly port: number;
}

const BY_KIND: Readonly<Record<ProviderKind, Pick<ProviderIdentity, "name" | "operation">>> = {
  openai: { name: "openai", operation: "chat" },
  "openai-responses": { name: "openai", operation: "chat" },
  "openai-compatible": { name: "openai-compatible", operation: "chat" },
  anthropic: { name: "anthropic", operation: "chat" },
  google: { name: "gcp.gemini", operation: "generate_content" },
  simulated: { name: "simulated", operation: "chat" },
};

/** Vendors that have a name in the conventions and speak the protocol of another one. */
const NAMES_BY_HOST: Readonly<Record<string, string>> = {
  "amazonaws.com": "aws.bedrock",
  "anthropic.com": "anthropic",
  "cohere.ai": "cohere",
  "cohere.com": "cohere",
  "deepseek.com": "deepseek",
  "generativelanguage.googleapis.com": "gcp.gemini",
  "aiplatform.googleapis.com": "gcp.vertex_ai",
  "groq.com": "groq",
  "inference.ai.azure.com": "azure.ai.inference",
  "ml.cloud.ibm.com": "ibm.watsonx.ai",
  "mistral.ai": "mistral_ai",
  "moonshot.ai": "moonshot_ai",
  "openai.azure.com": "azure.ai.openai",
  "openai.com": "openai",
  "perplexity.ai": "perplexity",
  "x.ai": "x_ai",
};

export function identifyProvider({ kind, baseUrl }: Pick<Provider, "kind" | "baseUrl">): ProviderIdentity {
  const { name, operation } = BY_KIND[kind];
  const url = baseUrl === null || kind === "simulated" ? null : URL.parse(baseUrl);
  if (url === null) return { name, operation, address: null, port: 0 };
  const { hostname, port, protocol } = url;
  const known = Object.entries(NAMES_BY_HOST).find(([host]) => hostname === host || hostname.endsWith(`.${host}`));
  const defaultPort = protocol === "http:" ? 80 : 443;
  return { name: known?.[1] ?? name, operation, address: hostname, port: port === "" ? defaultPort : Number(port) };
}
