import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import type { OfferedModel } from "../../config/index.ts";
import type { Adapter, AdapterCall, AdapterEvent, ReportedUsage } from "./adapter.ts";
import { buildPrompt, buildTools } from "./build-prompt.ts";
import type { Deadlines } from "./deadlines.ts";
import { ModelError } from "./model-error.ts";
import type { ModelCall, ModelFinish, ModelThought, ModelToolCall } from "./model-port.ts";
import { createPartSource, type Parts, type PartSource } from "./part-source.ts";
import type { PlainEnd } from "./plain-words.ts";
import type { Provider } from "./provider.ts";
import { createSignedThoughts, type SignedThoughts } from "./signed-thoughts.ts";
import type { StreamPace } from "./stream-pace.ts";
import { type VendorKind, VENDORS } from "./vendors.ts";
import { type Watcher, type Watchers, type Way, watchFetch } from "./watched-fetch.ts";

/** Models whose object is kept: with unlisted ones there is no end to their names. */
const MOST_KEPT = 100;

export interface VendorWay extends Way {
  readonly pace: StreamPace;
}

/** Speaks to a real provider through the AI SDK's package of its kind. */
export function createVendorAdapter(provider: Provider, kind: VendorKind, way: VendorWay): Adapter {
  const { url, load, frames, signsReasoning } = VENDORS[kind];
  const loading = load();
  // Loading begins early; a failure belongs to the call that needs it.
  loading.catch(() => {});
  const watchers: Watchers = new WeakMap();
  // Making one builds all schemas of its package anew, which costs more than the rest of a short answer.
  const kept = new Map<string, { readonly key: string | null; readonly language: LanguageModelV4 }>();
  /** Of which options the package has had nothing to say. Where it may have, all of an answer has to go through it. */
  const quiet = new Set<string>();

  const find = async (modelId: string): Promise<LanguageModelV4> => {
    const vendor = await loading;
    const key = provider.key();
    const known = kept.get(modelId);
    if (known?.key === key) return known.language;
    const language = vendor(modelId, {
      baseURL: provider.baseUrl ?? url,
      apiKey: key ?? "",
      fetch: watchFetch(way, { hasKey: key !== null, watchers, pace: way.pace, format: frames }),
    });
    if (kept.size >= MOST_KEPT) {
      kept.clear();
      quiet.clear();
    }
    kept.set(modelId, { key, language });
    return language;
  };
  const open = async (
    { deadlines, model }: AdapterCall,
    options: LanguageModelV4CallOptions,
    watcher: Omit<Watcher, "onBytes">,
  ): Promise<Parts> => {
    const language = await find(model.id);
    watchers.set(deadlines.signal, { ...watcher, onBytes: () => deadlines.touch() });
    const { stream } = await language.doStream(options);
    return stream.getReader();
  };
  return {
    stream(request) {
      const { model, sent, call, deadlines } = request;
      const source = createPartSource();
      const options = { ...sent, ...buildOptions(call, model, signsReasoning), abortSignal: deadlines.signal };
      const names = `${model.id} ${Object.keys(options).sort().join()}`;
      // What the package has to say of these depends on their values, of which there is no end.
      const isPlain = !("reasoning" in sent || "responseFormat" in sent || "providerOptions" in sent);
      const onEnd = isPlain && quiet.has(names) ? source.onEnd : null;
      const opening = open(request, options, { onWords: source.onWords, onEnd });
      const onQuiet = (): void => {
        if (isPlain) quiet.add(names);
      };
      return readParts(opening, source, {
        deadlines,
        onQuiet,
        thoughts: signsReasoning ? createSignedThoughts() : null,
      });
    },
  };
}

function buildOptions(call: ModelCall, model: OfferedModel, hasThoughts: boolean): LanguageModelV4CallOptions {
  const prompt = buildPrompt(call.system, call.messages, hasThoughts);
  const headers = call.traceparent === undefined ? {} : { headers: { traceparent: call.traceparent } };
  if (call.tools.length === 0 || !model.supports.tools) return { prompt, ...headers };
  const { toolChoice } = call;
  return {
    prompt,
    ...headers,
    tools: buildTools(call.tools),
    toolChoice: typeof toolChoice === "string" ? { type: toolChoice } : { type: "tool", toolName: toolChoice.tool },
  };
}

interface Reading {
  readonly deadlines: Deadlines;
  /** There are no warnings. */
  onQuiet(): void;
  /** Null: the vendor does not sign what its models think. */
  readonly thoughts: SignedThoughts | null;
}

async function* readParts(
  opening: Promise<Parts>,
  source: PartSource,
  { deadlines, onQuiet, thoughts }: Reading,
): AsyncGenerator<AdapterEvent, void, undefined> {
  // Held back until the end is known: when a stream breaks off, the packages hand out half a call as a whole one.
  const calls: ModelToolCall[] = [];
  for (;;) {
    const arrival = await deadlines.wait(source.next(opening));
    if ("words" in arrival) {
      yield* arrival.words;
      continue;
    }
    if ("end" in arrival) {
      yield finishPlainly(arrival.end);
      return;
    }
    const { part } = arrival;
    if (part === null) throw brokenOff();
    switch (part.type) {
      case "text-delta":
        if (part.delta !== "") yield { type: "text", delta: part.delta };
        break;
      case "reasoning-start":
      case "reasoning-end":
        thoughts?.note(part);
        break;
      case "reasoning-delta":
        thoughts?.note(part);
        if (part.delta !== "") yield { type: "reasoning", delta: part.delta };
        break;
      case "tool-call":
        if (part.providerExecuted !== true) calls.push(readCall(part, calls, thoughts?.take() ?? []));
        break;
      case "stream-start":
        if (part.warnings.length === 0) onQuiet();
        for (const warning of part.warnings)
          if ("feature" in warning)
            yield { type: "dropped", setting: SETTING_NAMES[warning.feature] ?? warning.feature };
        break;
      case "error":
        throw part.error;
      case "finish":
        yield {
          type: "finish",
          reason: readFinish(part.finishReason.unified, calls.length > 0),
          usage: readUsage(part.usage),
          toolCalls: calls,
        };
        // To the very end, so that the connection can be used again.
        await deadlines.wait(source.next(opening)).catch(() => {});
        return;
      default:
        break;
    }
  }
}

function finishPlainly({ reason, usage }: PlainEnd): AdapterEvent {
  const { inputTokens = null, cachedInputTokens = null, outputTokens = null, reasoningTokens = null } = usage ?? {};
  const isSilent = !inputTokens && !outputTokens;
  return {
    type: "finish",
    reason,
    usage: {
      inputTokens: isSilent ? null : inputTokens,
      cachedInputTokens,
      outputTokens: isSilent ? null : outputTokens,
      reasoningTokens,
    },
    toolCalls: [],
  };
}

const SETTING_NAMES: Readonly<Record<string, string>> = {
  topP: "top_p",
  maxOutputTokens: "max_tokens",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  stopSequences: "stop",
  reasoning: "reasoning_effort",
  "providerOptions.anthropic.effort": "reasoning_effort",
  "providerOptions.anthropic.thinking": "thinking",
  responseFormat: "response_format",
};

function readCall(
  part: LanguageModelV4ToolCall,
  earlier: readonly ModelToolCall[],
  thoughts: readonly ModelThought[],
): ModelToolCall {
  // Some servers number the calls of each answer from nought, or not at all.
  const isTaken = part.toolCallId === "" || earlier.some(({ id }) => id === part.toolCallId);
  return {
    id: isTaken ? `${part.toolCallId || "call"}_${earlier.length + 1}` : part.toolCallId,
    name: part.toolName,
    inputText: part.input.trim() === "" ? "{}" : part.input,
    ...(part.providerMetadata === undefined ? {} : { opaque: part.providerMetadata }),
    ...(thoughts.length > 0 && { thoughts }),
  };
}

/** Calls are known by their parts: Gemini ends with STOP, whatever it asks for. */
function readFinish(
  reason: Extract<LanguageModelV4StreamPart, { type: "finish" }>["finishReason"]["unified"],
  hasCalls: boolean,
): ModelFinish {
  switch (reason) {
    case "interrupted":
      throw brokenOff();
    case "error":
      throw new ModelError("PROVIDER_ERROR", "the provider could not finish its answer", { isRetryable: true });
    case "content-filter":
      return "content_filter";
    case "length":
      return "length";
    case "stop":
    case "tool-calls":
      return hasCalls ? "tool_calls" : "stop";
    case "other":
      return hasCalls ? "tool_calls" : "other";
  }
}

function brokenOff(): ModelError {
  return new ModelError("PROVIDER_ERROR", "the provider's answer broke off", { isRetryable: true });
}

function readUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): ReportedUsage {
  // Where an answer carries no usage at all, some packages report noughts.
  const isSilent = !inputTokens.total && !outputTokens.total;
  return {
    inputTokens: isSilent ? null : (inputTokens.total ?? null),
    cachedInputTokens: inputTokens.cacheRead ?? null,
    outputTokens: isSilent ? null : (outputTokens.total ?? null),
    reasoningTokens: outputTokens.reasoning ?? null,
  };
}
