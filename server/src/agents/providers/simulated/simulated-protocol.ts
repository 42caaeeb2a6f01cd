import { ModelError } from "../../../errors/index.ts";
import { isRecord } from "../../../json/index.ts";
import type { Adapter, AdapterFault } from "../adapter.ts";
import { estimateUnreportedInput } from "../count-usage.ts";
import type { ProviderProtocol } from "../provider-protocol.ts";
import type { Sleep } from "../sleep.ts";
import { composeReply } from "./compose-reply.ts";
import type { Failure } from "./read-directives.ts";

const FAILED: AdapterFault = {
  code: "PROVIDER_ERROR",
  isRetryable: true,
  text: "the simulated provider failed",
  status: null,
  retryAfterMs: null,
};

const RETRYABLE = (providerStatus: number | null) => ({ isRetryable: true, providerStatus });

const NO_EFFECT = "no effect: the provider is simulated";

/** The kind `simulated`, which needs no extension. */
export function createSimulatedProtocol(pace: Pace): ProviderProtocol<"simulated"> {
  const adapter = createSimulatedAdapter(pace);
  return {
    kind: "simulated",
    cachePrices: { read: 0, write: 0 },
    minOutputTokens: 1,
    acceptsBlankStop: true,
    mapSeed(_seed, warn) {
      warn("seed", NO_EFFECT);
      return null;
    },
    mapReasoning(_settings, { warn }) {
      warn("reasoning_effort", NO_EFFECT);
      warn("thinking", NO_EFFECT);
      return { sent: {}, extraTokens: 0, budgetTokens: 0 };
    },
    // The adapter reads the schema from the settings.
    mapResponseSchema: () => ({}),
    mapResponseFormat(format, { warn }) {
      if (!isRecord(format) || format["type"] !== "text") warn("response_format", NO_EFFECT);
      return {};
    },
    open: () => adapter,
  };
}

interface Pace {
  readonly firstTokenMs: number;
  /** 0: no delay. */
  readonly tokensPerSecond: number;
  readonly sleep: Sleep;
}

/**
 * Answers without a model and marks every answer as simulated. It calls a tool whose description has the words of the message. Directives
 * in messages make it call tools and fail.
 */
function createSimulatedAdapter({ firstTokenMs, tokensPerSecond, sleep }: Pace): Adapter {
  return {
    async *stream({ call, sent, deadlines }) {
      const { signal } = deadlines;
      const reply = composeReply(call, { maxTokens: sent.maxOutputTokens, stop: sent.stopSequences ?? [] });
      const waitMs = firstTokenMs + reply.sleepMs;
      if (waitMs > 0) await deadlines.wait(sleep(waitMs, signal));
      const inputTokens = estimateUnreportedInput(call);
      const usage = { inputTokens, cachedInputTokens: 0, reasoningTokens: 0, isEstimated: true } as const;
      if (reply.failure === "refusal") {
        yield { type: "finish", reason: "content_filter", usage: { ...usage, outputTokens: 0 }, toolCalls: [] };
        return;
      }
      if (reply.failure !== null && reply.failure !== "midstream") throw fail(reply.failure);
      deadlines.touch();
      const pieces =
        reply.failure === "midstream" ? reply.pieces.slice(0, Math.ceil(reply.pieces.length / 2)) : reply.pieces;
      for (const delta of pieces) {
        signal.throwIfAborted();
        yield { type: "text", delta };
        if (tokensPerSecond > 0) await deadlines.wait(sleep(1000 / tokensPerSecond, signal));
        deadlines.touch();
      }
      if (reply.failure === "midstream") throw fail("midstream");
      const outputTokens = reply.pieces.length + reply.calls.length;
      yield { type: "finish", reason: reply.finish, usage: { ...usage, outputTokens }, toolCalls: reply.calls };
    },
    explainFault: () => FAILED,
  };
}

function fail(failure: Exclude<Failure, "refusal">): ModelError {
  switch (failure) {
    case "rate_limit":
      return new ModelError(
        "PROVIDER_RATE_LIMITED",
        "simulated: the provider limits the rate of calls",
        RETRYABLE(429),
      );
    case "5xx":
      return new ModelError("PROVIDER_OVERLOADED", "simulated: the provider is overloaded", RETRYABLE(503));
    case "timeout":
      return new ModelError("PROVIDER_TIMEOUT", "simulated: the provider did not answer in time", RETRYABLE(null));
    case "midstream":
      return new ModelError("PROVIDER_ERROR", "simulated: the provider's response was cut off", RETRYABLE(null));
  }
}
