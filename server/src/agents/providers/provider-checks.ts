import { FRAMEWORKS, type Framework } from "@swarmbase/sdk";
import { maskUrls } from "../../config/index.ts";
import { ModelError } from "../../errors/index.ts";
import type { ModelUsage } from "./model-port.ts";
import type { Models } from "./open-models.ts";
import { nameProviders } from "./name-providers.ts";
import type { Provider, Providers } from "./provider.ts";

/** A provider for the person who runs the service: without its key. */
export interface DescribedProvider {
  readonly framework: Framework;
  /** What people call it: OpenAI. */
  readonly name: string;
  readonly kind: Provider["kind"];
  readonly state: Provider["state"];
  readonly has_key: boolean;
  /** Credentials masked; null for the vendor's own address. */
  readonly base_url: string | null;
  readonly default_model: string | null;
  readonly models: readonly string[];
  /** Whether agents may also name models that are not listed. */
  readonly is_list_open: boolean;
  readonly fallback: readonly Framework[];
}

/** How a call ended that was made to see whether the provider answers. */
export interface ProviderTest {
  readonly is_ok: boolean;
  readonly model: string | null;
  readonly duration_ms: number;
  readonly first_token_ms: number | null;
  /** The beginning of the answer. */
  readonly answer: string | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  /** As in the errors of runs; null when the provider has answered. */
  readonly error_code: string | null;
  readonly message: string | null;
  /** The status of the provider's response; null when there was none. */
  readonly provider_status: number | null;
}

export interface ProviderChecks {
  list(): readonly DescribedProvider[];
  /** One small call, without retries and fallbacks. The provider charges it like any other. */
  test(framework: Framework, model: string | null, signal: AbortSignal): Promise<ProviderTest>;
}

const MAX_OUTPUT_TOKENS = 16;
/** A reasoning model uses up a small limit before it writes anything. */
const MAX_REASONING_TOKENS = 512;
const MAX_ANSWER_LENGTH = 200;
const AGENT = { id: "provider-test", name: "Test" };

export function createProviderChecks(
  models: Pick<Models, "describe" | "stream">,
  current: () => Providers,
): ProviderChecks {
  return {
    list() {
      const providers = current();
      const names = nameProviders(providers);
      return FRAMEWORKS.map((framework) => describe(providers[framework], names[framework]));
    },
    async test(framework, model, signal) {
      const startedAtMs = performance.now();
      const elapsed = (): number => Math.round(performance.now() - startedAtMs);
      let used: string | null = model;
      let firstTokenMs: number | null = null;
      let answer = "";
      let usage: ModelUsage | null = null;
      let fault: ModelError | null = null;
      try {
        const info = models.describe(framework, model);
        used = info.model;
        const stream = models.stream({
          framework,
          model,
          system: "You are being tested.",
          messages: [{ role: "user", content: "Answer with one word: ready" }],
          tools: [],
          toolChoice: "none",
          settings: {},
          maxOutputTokens: info.isReasoning ? MAX_REASONING_TOKENS : MAX_OUTPUT_TOKENS,
          signal,
          agent: AGENT,
          // Ends the call where another attempt would follow: the outcome is that of one request to this provider.
          attempts: {
            start: () => undefined,
            fail: (error) => {
              throw error;
            },
          },
        });
        for await (const event of stream) {
          if (event.type === "text" || event.type === "reasoning") firstTokenMs ??= elapsed();
          if (event.type === "text" && answer.length < MAX_ANSWER_LENGTH) answer += event.delta;
          if (event.type === "finish") ({ usage } = event);
        }
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        fault = error;
      }
      return {
        is_ok: fault === null,
        model: used,
        duration_ms: elapsed(),
        first_token_ms: firstTokenMs,
        answer: fault === null ? answer.slice(0, MAX_ANSWER_LENGTH).toWellFormed() : null,
        input_tokens: usage?.inputTokens ?? null,
        output_tokens: usage?.outputTokens ?? null,
        error_code: fault?.code ?? null,
        message: fault?.message ?? null,
        provider_status: fault?.providerStatus ?? null,
      };
    },
  };
}

function describe(provider: Provider, name: string): DescribedProvider {
  const { framework, kind, state, key, baseUrl, offered, fallback } = provider;
  return {
    framework,
    name,
    kind,
    state,
    has_key: key() !== null,
    base_url: baseUrl === null ? null : maskUrls(baseUrl),
    default_model: offered.defaultModel === "" ? null : offered.defaultModel,
    models: offered.models.map(({ id }) => id),
    is_list_open: offered.isOpen,
    fallback,
  };
}
