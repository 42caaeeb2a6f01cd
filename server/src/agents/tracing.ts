import {
  type Attributes,
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type TracerProvider,
  trace,
} from "@opentelemetry/api";
import type { ModelMessage, ModelUsage } from "./providers/model-port.ts";

// Only this file uses the names of OpenTelemetry's conventions for generative AI, which are still in development.

export interface Tracing {
  startRun(run: RunTrace): RunSpan;
}

interface RunTrace {
  readonly runId: string;
  readonly swarmId: string;
  readonly swarmName: string;
  readonly strategy: string;
  /** The header of the request; a malformed one starts a new trace. */
  readonly traceparent?: string | null;
}

interface TurnTrace {
  readonly turnId: string;
  readonly agentId: string;
  readonly agentName: string;
  readonly framework: string;
  readonly model: string | null;
}

interface ChatTrace {
  readonly framework: string;
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
  readonly model?: string;
  readonly finishReason?: string;
  readonly usage?: ModelUsage;
  readonly text?: string;
}

interface TracedSpan<End extends SpanEnd = SpanEnd> {
  /** For requests on behalf of this span; absent when tracing is off. */
  readonly traceparent: string | undefined;
  /** Further calls have no effect. */
  end(outcome: End): void;
}

export interface RunSpan extends TracedSpan<SpanEnd & { readonly status?: string; readonly stopReason?: string }> {
  startTurn(turn: TurnTrace): TurnSpan;
  /** A model call outside of a turn: the selection of a speaker. */
  startChat(chat: ChatTrace): TracedSpan<ChatEnd>;
}

export interface TurnSpan extends TracedSpan<SpanEnd & { readonly usage?: ModelUsage }> {
  startChat(chat: ChatTrace): TracedSpan<ChatEnd>;
  startTool(tool: ToolTrace): TracedSpan<SpanEnd & { readonly output?: string }>;
}

export interface TracingOptions {
  /** Adds prompts, answers, tool inputs and outputs to the spans. */
  readonly captureContent: boolean;
  /** Absent: the provider that the process has registered, if any. */
  readonly tracerProvider?: TracerProvider | undefined;
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const MAX_TRACEPARENT_CHARS = 256;

const SETTING_ATTRIBUTES = {
  temperature: "gen_ai.request.temperature",
  top_p: "gen_ai.request.top_p",
  max_tokens: "gen_ai.request.max_tokens",
  presence_penalty: "gen_ai.request.presence_penalty",
  frequency_penalty: "gen_ai.request.frequency_penalty",
} as const;

export function createTracing({ captureContent, tracerProvider }: TracingOptions): Tracing {
  const tracer = tracerProvider ? tracerProvider.getTracer("swarmbase") : trace.getTracer("swarmbase");
  const startChat = (parent: Context) => (chat: ChatTrace) => {
    const attributes: Attributes = {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": chat.framework,
      "gen_ai.request.model": chat.model,
      ...settingAttributes(chat.settings),
    };
    const span = tracer.startSpan(`chat ${chat.model}`, { kind: SpanKind.CLIENT, attributes }, parent);
    if (captureContent && span.isRecording()) {
      span.setAttribute("gen_ai.system_instructions", JSON.stringify([{ type: "text", content: chat.system }]));
      span.setAttribute("gen_ai.input.messages", JSON.stringify(chat.messages.map(messageParts)));
    }
    return traced(span, ({ model, finishReason, usage, text }: ChatEnd) => ({
      ...(model !== undefined && { "gen_ai.response.model": model }),
      ...(finishReason !== undefined && { "gen_ai.response.finish_reasons": [finishReason] }),
      ...usageAttributes(usage),
      ...(captureContent &&
        text !== undefined && {
          "gen_ai.output.messages": JSON.stringify([{ role: "assistant", parts: [{ type: "text", content: text }] }]),
        }),
    }));
  };
  const startTool = (parent: Context) => (tool: ToolTrace) => {
    const attributes: Attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool.name,
      "gen_ai.tool.call.id": tool.callId,
      "gen_ai.tool.type": "function",
      "swarmbase.tool_execution.id": tool.executionId,
      ...(captureContent && { "gen_ai.tool.call.arguments": tool.inputText }),
    };
    const span = tracer.startSpan(`execute_tool ${tool.name}`, { attributes }, parent);
    return traced(span, ({ output }: SpanEnd & { readonly output?: string }) =>
      captureContent && output !== undefined ? { "gen_ai.tool.call.result": output } : {},
    );
  };

  return {
    startRun(run) {
      const remote = parseTraceparent(run.traceparent);
      const parent = remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
      const span = tracer.startSpan(`invoke_workflow ${run.swarmName}`, { attributes: runAttributes(run) }, parent);
      const context = trace.setSpan(parent, span);
      return {
        ...traced(span, ({ status, stopReason }: Parameters<RunSpan["end"]>[0]) => ({
          ...(status !== undefined && { "swarmbase.run.status": status }),
          ...(stopReason !== undefined && { "swarmbase.run.stop_reason": stopReason }),
        })),
        startChat: startChat(context),
        startTurn(turn) {
          const turnSpan = tracer.startSpan(
            `invoke_agent ${turn.agentName}`,
            { attributes: turnAttributes(turn, run.swarmId) },
            context,
          );
          const turnContext = trace.setSpan(context, turnSpan);
          return {
            ...traced(turnSpan, ({ usage }: Parameters<TurnSpan["end"]>[0]) => usageAttributes(usage)),
            startChat: startChat(turnContext),
            startTool: startTool(turnContext),
          };
        },
      };
    },
  };
}

function traced<End extends SpanEnd>(span: Span, attributesOf: (outcome: End) => Attributes): TracedSpan<End> {
  let hasEnded = false;
  const spanContext = span.spanContext();
  return {
    traceparent: isSpanContextValid(spanContext) ? formatTraceparent(spanContext) : undefined,
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

function runAttributes(run: RunTrace): Attributes {
  return {
    "gen_ai.operation.name": "invoke_workflow",
    "gen_ai.workflow.name": run.swarmName,
    "gen_ai.conversation.id": run.swarmId,
    "swarmbase.run.id": run.runId,
    "swarmbase.run.strategy": run.strategy,
  };
}

function turnAttributes(turn: TurnTrace, swarmId: string): Attributes {
  return {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.provider.name": turn.framework,
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
  };
}

function messageParts(message: ModelMessage): Readonly<Record<string, unknown>> {
  switch (message.role) {
    case "user":
      return { role: "user", parts: [{ type: "text", content: message.content }] };
    case "assistant":
      return {
        role: "assistant",
        parts: [
          ...(message.content === "" ? [] : [{ type: "text", content: message.content }]),
          ...(message.toolCalls ?? []).map((call) => ({
            type: "tool_call",
            id: call.id,
            name: call.name,
            arguments: call.inputText,
          })),
        ],
      };
    case "tool":
      return {
        role: "tool",
        parts: [{ type: "tool_call_response", id: message.toolCallId, response: message.output }],
      };
  }
}

/** Parses the W3C header; null when it is not valid. */
export function parseTraceparent(header: string | null | undefined): SpanContext | null {
  if (!header || header.length > MAX_TRACEPARENT_CHARS) return null;
  const [, traceId, spanId, flags] = TRACEPARENT.exec(header.trim()) ?? [];
  if (!traceId || !spanId || !flags) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 1).toString(16).padStart(2, "0")}`;
}
