import {
  type Attributes,
  type Context,
  context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import type { Framework } from "@swarmbase/sdk";
import { contextBelow, traceparentOf, TRACER_NAME, type TraceSource } from "../observe/index.ts";
import type { ModelMessage, ModelUsage } from "./providers/model-port.ts";
import type { ProviderIdentity } from "./providers/provider-identity.ts";
import { clip, renderMessages, textPart } from "./trace-content.ts";

// Only this file uses the names of OpenTelemetry's conventions for generative AI, which are still in development.

export interface Tracing {
  startRun(run: RunTrace): RunSpan;
}

interface RunTrace {
  readonly runId: string;
  readonly swarmId: string;
  /** Null means that it comes from a message. */
  readonly swarmName: string | null;
  /** The conversation of somebody who asks an agent by a grant: its spans have no content, and no name. */
  readonly isPrivate: boolean;
  readonly strategy: string;
  /** The header of the request; a malformed one starts a new trace. */
  readonly traceparent?: string | null;
}

interface TurnTrace {
  readonly turnId: string;
  readonly agentId: string;
  readonly agentName: string;
  readonly framework: Framework;
  readonly model: string | null;
}

/** One request to a provider. */
export interface ChatTrace {
  /** Of the row in model_calls. */
  readonly callId: string;
  readonly attempt: number;
  readonly framework: Framework;
  readonly model: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
}

interface ToolTrace {
  readonly executionId: string;
  readonly name: string;
  readonly callId: string;
  readonly inputText: string;
}

/** `errorType`: an error code; null or absent for success. */
interface SpanEnd {
  readonly errorType?: string | null;
}

interface ChatEnd extends SpanEnd {
  readonly firstTokenMs?: number | null;
  /** Absent when the answer is incomplete. */
  readonly finishReason?: string;
  readonly usage?: ModelUsage;
  /** Null when the price is not known. */
  readonly costUsd?: number | null;
  readonly text?: string;
}

interface ToolEnd extends SpanEnd {
  readonly output?: string;
}

interface TracedSpan<End extends SpanEnd = SpanEnd> {
  /** For requests on behalf of this span; absent when tracing is off. */
  readonly traceparent: string | undefined;
  /** Further calls have no effect. */
  end(outcome: End): void;
}

export interface RunSpan extends TracedSpan<SpanEnd & { readonly status?: string; readonly stopReason?: string }> {
  startTurn(turn: TurnTrace): TurnSpan;
  /** Runs the work in the context of this span, so that spans of the database become its children. */
  within<T>(work: () => T): T;
  /** A model call outside of a turn: the selection of a speaker. */
  startChat(chat: ChatTrace): TracedSpan<ChatEnd>;
}

export interface TurnSpan extends TracedSpan<SpanEnd & { readonly usage?: ModelUsage }> {
  startChat(chat: ChatTrace): TracedSpan<ChatEnd>;
  startTool(tool: ToolTrace): TracedSpan<ToolEnd>;
}

interface TracingOptions {
  /** Adds prompts, answers, tool inputs and outputs to the spans. */
  readonly captureContent: boolean;
  /** Absent or null: the provider that the process has registered, if any. */
  readonly source?: TraceSource | null | undefined;
  identify(framework: Framework): ProviderIdentity;
}

const SETTING_ATTRIBUTES = {
  temperature: "gen_ai.request.temperature",
  top_p: "gen_ai.request.top_p",
  max_tokens: "gen_ai.request.max_tokens",
  presence_penalty: "gen_ai.request.presence_penalty",
  frequency_penalty: "gen_ai.request.frequency_penalty",
} as const;

export class RunTracing implements Tracing {
  readonly #tracer: Tracer;
  readonly #propagates: boolean;
  readonly #captureContent: boolean;
  readonly #identify: TracingOptions["identify"];

  constructor({ captureContent, source, identify }: TracingOptions) {
    this.#tracer = (source?.tracerProvider ?? trace).getTracer(TRACER_NAME);
    this.#propagates = source?.propagates ?? true;
    this.#captureContent = captureContent;
    this.#identify = identify;
  }

  startRun(run: RunTrace): RunSpan {
    const parent = contextBelow(run.traceparent);
    const attributes = runAttributes(run);
    const span = this.#tracer.startSpan(`invoke_workflow ${workflowName(run)}`, { attributes }, parent);
    const runContext = trace.setSpan(parent, span);
    return {
      ...this.#traced(span, ({ status, stopReason }: Parameters<RunSpan["end"]>[0]) => ({
        ...(status !== undefined && { "swarmbase.run.status": status }),
        ...(stopReason !== undefined && { "swarmbase.run.stop_reason": stopReason }),
      })),
      within: (work) => context.with(runContext, work),
      startChat: (chat) => this.#startChat(runContext, run, chat),
      startTurn: (turn) => this.#startTurn(runContext, run, turn),
    };
  }

  #startTurn(runContext: Context, run: RunTrace, turn: TurnTrace): TurnSpan {
    const attributes = turnAttributes(turn, run.swarmId, this.#identify(turn.framework));
    const span = this.#tracer.startSpan(`invoke_agent ${turn.agentName}`, { attributes }, runContext);
    const turnContext = trace.setSpan(runContext, span);
    return {
      ...this.#traced(span, ({ usage }: Parameters<TurnSpan["end"]>[0]) => usageAttributes(usage)),
      startChat: (chat) => this.#startChat(turnContext, run, chat),
      startTool: (tool) => this.#startTool(turnContext, run, tool),
    };
  }

  #startChat(parent: Context, { swarmId, isPrivate }: RunTrace, chat: ChatTrace): TracedSpan<ChatEnd> {
    const hasContent = this.#captureContent && !isPrivate;
    const provider = this.#identify(chat.framework);
    const attributes: Attributes = {
      "gen_ai.operation.name": provider.operation,
      ...providerAttributes(provider),
      "gen_ai.request.model": chat.model,
      "gen_ai.request.stream": true,
      "gen_ai.conversation.id": swarmId,
      "swarmbase.model_call.id": chat.callId,
      "swarmbase.model_call.attempt": chat.attempt,
      ...settingAttributes(chat.settings),
    };
    const name = `${provider.operation} ${chat.model}`;
    const span = this.#tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent);
    if (hasContent && span.isRecording()) {
      span.setAttribute("gen_ai.system_instructions", JSON.stringify([textPart(chat.system)]));
      span.setAttribute("gen_ai.input.messages", renderMessages(chat.messages));
    }
    return this.#traced(span, ({ firstTokenMs = null, finishReason, usage, costUsd = null, text }: ChatEnd) => ({
      ...(finishReason !== undefined && {
        "gen_ai.response.model": chat.model,
        "gen_ai.response.finish_reasons": [finishReason],
      }),
      ...(firstTokenMs !== null && { "swarmbase.model_call.first_token_ms": firstTokenMs }),
      ...usageAttributes(usage),
      ...(costUsd !== null && { "swarmbase.model_call.cost_usd": costUsd }),
      ...(hasContent &&
        text !== undefined && {
          "gen_ai.output.messages": JSON.stringify([{ role: "assistant", parts: [textPart(text)] }]),
        }),
    }));
  }

  #startTool(parent: Context, { isPrivate }: RunTrace, tool: ToolTrace): TracedSpan<ToolEnd> {
    const hasContent = this.#captureContent && !isPrivate;
    const attributes: Attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool.name,
      "gen_ai.tool.call.id": tool.callId,
      "gen_ai.tool.type": "function",
      "swarmbase.tool_execution.id": tool.executionId,
      ...(hasContent && { "gen_ai.tool.call.arguments": clip(tool.inputText) }),
    };
    const span = this.#tracer.startSpan(`execute_tool ${tool.name}`, { attributes }, parent);
    return this.#traced(span, ({ output }: ToolEnd) =>
      hasContent && output !== undefined ? { "gen_ai.tool.call.result": clip(output) } : {},
    );
  }

  #traced<End extends SpanEnd>(span: Span, attributesOf: (outcome: End) => Attributes): TracedSpan<End> {
    return createTracedSpan(span, this.#propagates, attributesOf);
  }
}

function createTracedSpan<End extends SpanEnd>(
  span: Span,
  propagates: boolean,
  attributesOf: (outcome: End) => Attributes,
): TracedSpan<End> {
  let hasEnded = false;
  return {
    traceparent: propagates ? traceparentOf(span) : undefined,
    end(outcome) {
      if (hasEnded) return;
      hasEnded = true;
      if (span.isRecording()) {
        span.setAttributes(attributesOf(outcome));
        if (outcome.errorType) {
          span.setAttribute("error.type", outcome.errorType);
          span.setStatus({ code: SpanStatusCode.ERROR, message: outcome.errorType });
        }
      }
      span.end();
    },
  };
}

function workflowName({ swarmName, isPrivate }: RunTrace): string {
  return isPrivate || swarmName === null ? "private conversation" : swarmName;
}

function runAttributes(run: RunTrace): Attributes {
  return {
    "gen_ai.operation.name": "invoke_workflow",
    "gen_ai.workflow.name": workflowName(run),
    "gen_ai.conversation.id": run.swarmId,
    "swarmbase.run.id": run.runId,
    "swarmbase.run.strategy": run.strategy,
  };
}

/** The address and port belong together; the vendor's own address is known from its name. */
function providerAttributes({ name, address, port }: ProviderIdentity): Attributes {
  return {
    "gen_ai.provider.name": name,
    ...(address !== null && { "server.address": address, "server.port": port }),
  };
}

function turnAttributes(turn: TurnTrace, swarmId: string, { name }: ProviderIdentity): Attributes {
  return {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.provider.name": name,
    "gen_ai.agent.id": turn.agentId,
    "gen_ai.agent.name": turn.agentName,
    "gen_ai.conversation.id": swarmId,
    "swarmbase.turn.id": turn.turnId,
    ...(turn.model !== null && { "gen_ai.request.model": turn.model }),
  };
}

function settingAttributes(settings: Readonly<Record<string, unknown>>): Attributes {
  const attributes: Attributes = {};
  for (const [key, name] of Object.entries(SETTING_ATTRIBUTES)) {
    const value = settings[key];
    if (typeof value === "number") attributes[name] = value;
  }
  const stop: unknown = settings["stop"];
  if (Array.isArray(stop))
    attributes["gen_ai.request.stop_sequences"] = stop.filter((item: unknown) => typeof item === "string");
  return attributes;
}

function usageAttributes(usage: ModelUsage | undefined): Attributes {
  if (!usage) return {};
  return {
    "gen_ai.usage.input_tokens": usage.inputTokens,
    "gen_ai.usage.output_tokens": usage.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": usage.cachedInputTokens,
    "gen_ai.usage.reasoning.output_tokens": usage.reasoningTokens,
  };
}
