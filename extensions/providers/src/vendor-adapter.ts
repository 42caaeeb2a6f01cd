import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import {
  type Adapter,
  type AdapterCall,
  type AdapterEvent,
  type Deadlines,
  ModelError,
  type ModelFinish,
  type ModelThought,
  type ModelToolCall,
  type OfferedModel,
  type Provider,
  type ProviderPorts,
  type ReportedUsage,
  type SentSettings,
} from "swarmbase/extension";
import { buildPrompt, buildTools, leaveOutPastCalls, type PromptOptions } from "./build-prompt.ts";
import { explainFault } from "./explain-fault.ts";
import { markCacheable } from "./mark-cacheable.ts";
import { PlainText, type TextEnd } from "./plain-text.ts";
import { createProviderFetch, type Watchers } from "./provider-fetch.ts";
import { createSignedThoughts, type SignedThoughts } from "./signed-thoughts.ts";
import type { Vendor } from "./vendors.ts";

/** Limits the cache: unlisted models can have any name. */
const MAX_CACHED_MODELS = 100;

type Parts = ReadableStreamDefaultReader<LanguageModelV4StreamPart>;

type VendorSettings = Omit<SentSettings, "providerOptions" | "responseFormat"> &
  Pick<LanguageModelV4CallOptions, "responseFormat"> & { readonly providerOptions?: SharedV4ProviderOptions };

/** Calls a provider through the AI SDK's package of its kind. */
export function createVendorAdapter(vendor: Vendor, provider: Provider, ports: ProviderPorts): Adapter {
  const { url, load, hasChatFrames, callOptions, optionsName, signsReasoning, hasCacheMarks, hasNames, images } =
    vendor;
  const isMarking = hasCacheMarks && provider.isCachingPrompts;
  const loading = load();
  // Loading begins early. The first call reports a failure.
  loading.catch(() => {});
  const watchers: Watchers = new WeakMap();
  // Creating a model builds all schemas of its package, which takes longer than the rest of a short answer.
  const cache = new Map<string, { readonly key: string | null; readonly language: LanguageModelV4 }>();
  /** The options for which the package gave no warnings. With other options the package has to parse the whole answer. */
  const withoutWarnings = new Set<string>();

  const find = async (modelId: string): Promise<LanguageModelV4> => {
    const createModel = await loading;
    const key = provider.key();
    const known = cache.get(modelId);
    if (known?.key === key) return known.language;
    const language = createModel(modelId, {
      baseURL: provider.baseUrl ?? url,
      apiKey: key ?? "",
      fetch: createProviderFetch(ports.fetch, { hasKey: key !== null, watchers, pace: ports.pace }),
    });
    if (cache.size >= MAX_CACHED_MODELS) {
      cache.clear();
      withoutWarnings.clear();
    }
    cache.set(modelId, { key, language });
    return language;
  };
  const open = async (
    { deadlines, model }: AdapterCall,
    options: LanguageModelV4CallOptions,
    text: PlainText | null,
  ): Promise<Parts> => {
    const language = await find(model.id);
    watchers.set(deadlines.signal, { text, onBytes: () => deadlines.touch() });
    const { stream } = await language.doStream(options);
    return stream.getReader();
  };
  const withCallOptions = (sent: SentSettings, { supports }: OfferedModel): VendorSettings => {
    // What this package has mapped, from settings that are stored as JSON.
    const given = sent as VendorSettings;
    if (callOptions === null) return given;
    const { providerOptions } = given;
    const own = { ...callOptions(supports, provider), ...providerOptions?.[optionsName] };
    return { ...given, providerOptions: { ...providerOptions, [optionsName]: own } };
  };
  return {
    stream(request) {
      const { deadlines } = request;
      const sent = withCallOptions(request.sent, request.model);
      const built = buildOptions(request, { hasThoughts: signsReasoning, images, hasNames });
      const options = { ...sent, ...(isMarking ? markCacheable(built) : built), abortSignal: deadlines.signal };
      const names = `${request.model.id} ${Object.keys(options).sort().join()}`;
      // Warnings about these depend on their values, of which there are too many to remember.
      const isCacheable = !("reasoning" in sent || "responseFormat" in sent || "providerOptions" in sent);
      const readsEnd = isCacheable && withoutWarnings.has(names);
      const text = hasChatFrames ? new PlainText({ readsEnd }) : null;
      const opening = open(request, options, text);
      const stopText = (): void => text?.stop();
      opening.then(stopText, stopText);
      const onNoWarnings = (): void => {
        if (isCacheable) withoutWarnings.add(names);
      };
      return readAnswer(opening, {
        text,
        deadlines,
        onNoWarnings,
        thoughts: signsReasoning ? createSignedThoughts() : null,
      });
    },
    explainFault,
  };
}

function buildOptions(
  { call, model, traceparent }: AdapterCall,
  { hasThoughts, images, hasNames }: PromptOptions,
): LanguageModelV4CallOptions {
  const hasTools = call.tools.length > 0 && model.supports.tools;
  const prompt = buildPrompt(call.system, hasTools ? call.messages : leaveOutPastCalls(call.messages), {
    hasThoughts,
    hasNames,
    images: model.supports.images ? images : "none",
  });
  const headers = traceparent === undefined ? {} : { headers: { traceparent } };
  if (!hasTools) return { prompt, ...headers };
  const { toolChoice } = call;
  return {
    prompt,
    ...headers,
    tools: buildTools(call.tools),
    toolChoice: typeof toolChoice === "string" ? { type: toolChoice } : { type: "tool", toolName: toolChoice.tool },
  };
}

interface Reading {
  /** The text that is read before the package has anything to parse; null means that it parses the whole answer. */
  readonly text: PlainText | null;
  readonly deadlines: Deadlines;
  /** Called when the package gives no warnings. */
  onNoWarnings(): void;
  /** Null means that the vendor does not sign reasoning. */
  readonly thoughts: SignedThoughts | null;
}

async function* readAnswer(
  opening: Promise<Parts>,
  { text, deadlines, onNoWarnings, thoughts }: Reading,
): AsyncGenerator<AdapterEvent, void, undefined> {
  if (text !== null) {
    for (;;) {
      const deltas = await deadlines.wait(text.next());
      if (deltas === null) break;
      yield* deltas;
    }
    if (text.end !== null) return yield finishText(text.end);
  }
  const parts = await deadlines.wait(opening);
  // Held back until the end: when a stream breaks off, the packages emit an incomplete call as a complete one.
  const calls: ModelToolCall[] = [];
  for (;;) {
    const { done, value: part } = await deadlines.wait(parts.read());
    if (done) throw brokenOff();
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
        if (part.warnings.length === 0) onNoWarnings();
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
        // Reads to the end, so that the connection can be reused.
        await deadlines.wait(parts.read()).catch(() => {});
        return;
      default:
        break;
    }
  }
}

function finishText({ reason, usage }: TextEnd): AdapterEvent {
  const { inputTokens, cachedInputTokens, outputTokens, reasoningTokens } = usage ?? {};
  const reported = reportUsage(inputTokens, cachedInputTokens, outputTokens, reasoningTokens);
  return { type: "finish", reason, usage: reported, toolCalls: [] };
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
  // Some servers repeat the ids in each answer, or send none.
  const isTaken = part.toolCallId === "" || earlier.some(({ id }) => id === part.toolCallId);
  return {
    id: isTaken ? `${part.toolCallId || "call"}_${earlier.length + 1}` : part.toolCallId,
    name: part.toolName,
    inputText: part.input.trim() === "" ? "{}" : part.input,
    ...(part.providerMetadata === undefined ? {} : { opaque: part.providerMetadata }),
    ...(thoughts.length > 0 && { thoughts }),
  };
}

/** Gemini ends with STOP even when it calls tools. */
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
  return new ModelError("PROVIDER_ERROR", "the provider's response was cut off", { isRetryable: true });
}

function readUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): ReportedUsage {
  const reported = reportUsage(inputTokens.total, inputTokens.cacheRead, outputTokens.total, outputTokens.reasoning);
  return { ...reported, cacheWriteTokens: inputTokens.cacheWrite ?? null };
}

/** Some packages report zeros when an answer carries no usage. */
function reportUsage(input = 0, cachedInput?: number, output = 0, reasoning?: number): ReportedUsage {
  const isMissing = input === 0 && output === 0;
  return {
    inputTokens: isMissing ? null : input,
    cachedInputTokens: cachedInput ?? null,
    outputTokens: isMissing ? null : output,
    reasoningTokens: reasoning ?? null,
  };
}
