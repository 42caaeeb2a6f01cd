import type { Framework } from "@swarmbase/sdk";
import type { OfferedModel } from "../../config/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { Clock } from "../../time/index.ts";
import type { Adapter, AdapterEvent } from "./adapter.ts";
import { countUsage } from "./count-usage.ts";
import { type DeadlineTimes, startDeadlines } from "./deadlines.ts";
import { describeSent, mapSettings } from "./map-settings.ts";
import { ModelError } from "../../errors/index.ts";
import type { ModelCall, ModelEvent, ModelWarning } from "./model-port.ts";
import type { Provider } from "./provider.ts";
import type { SettingsMapping } from "./provider-protocol.ts";
import type { Sleep } from "./sleep.ts";

const MAX_RETRIES = 2;
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 8000;
const MAX_HINT_MS = 20_000;

export interface ModelTarget {
  readonly provider: Provider;
  readonly model: OfferedModel;
  readonly adapter: Adapter;
  readonly mapping: SettingsMapping;
}

interface StreamPorts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly sleep: Sleep;
  readonly observer: Observer;
  readonly times: DeadlineTimes;
}

/** Tries the targets in order until one of them has emitted something. */
export async function* streamCall(
  findTargets: () => readonly ModelTarget[],
  call: ModelCall,
  ports: StreamPorts,
): AsyncGenerator<ModelEvent, void, undefined> {
  let attempts = 0;
  let failure: ModelError | null = null;
  for (const target of findTargets()) {
    const place = { framework: target.provider.framework, model: target.model.id };
    if (failure !== null) {
      call.attempts?.fail(failure);
      ports.observer.note("provider.fell_back", { ...place, code: failure.code });
    }
    for (let attempt = 1; ; attempt++) {
      call.signal.throwIfAborted();
      attempts++;
      const progress = { hasAnswered: false };
      try {
        yield* streamAttempt(target, call, { ...ports, attempt: attempts, progress });
        return;
      } catch (error) {
        call.signal.throwIfAborted();
        failure = explainFault(error, target.adapter, { ...place, attempt: attempts, now: ports.clock.now() });
      }
      note(ports.observer, place, failure);
      if (progress.hasAnswered) throw failure;
      const delayMs = decideRetry(failure, attempt, ports.random);
      if (delayMs === null) break;
      call.attempts?.fail(failure);
      await ports.sleep(delayMs, call.signal);
    }
    if (!mayFallBack(failure)) break;
  }
  throw failure ?? new ModelError("PROVIDER_NOT_CONFIGURED", "no provider is configured");
}

interface AttemptPorts extends StreamPorts {
  readonly attempt: number;
  /** Set when something was emitted that cannot be taken back. */
  readonly progress: { hasAnswered: boolean };
}

async function* streamAttempt(
  { provider, model, adapter, mapping }: ModelTarget,
  given: ModelCall,
  { attempt, progress, times }: AttemptPorts,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { framework } = provider;
  const hasTools = given.tools.length > 0 && model.supports.tools;
  const { sent, maxTokens, instruction, warnings } = mapSettings(given.settings, {
    model,
    mapping,
    hasTools,
    ...(given.maxOutputTokens !== undefined && { maxTokens: given.maxOutputTokens }),
  });
  const call = instruction === "" ? given : { ...given, system: `${given.system}\n\n${instruction}`.trimStart() };
  const traceparent = call.attempts?.start({ framework, model: model.id, attempt }, describeSent(sent, maxTokens));
  const deadlines = startDeadlines(call.signal, times);
  const warned = new Set<string>();
  let textChars = 0;
  let hasStarted = false;
  try {
    for await (const event of adapter.stream({ framework, model, call, sent, deadlines, traceparent })) {
      if (!hasStarted) {
        hasStarted = true;
        yield { type: "start", framework, model: model.id, attempt };
        for (const warning of [...warnings, ...warnOfTools(call, model)]) {
          warned.add(warning.setting);
          yield { type: "warning", warning };
        }
      }
      switch (event.type) {
        case "text":
          textChars += event.delta.length;
          progress.hasAnswered = true;
          yield event;
          break;
        case "reasoning":
          textChars += event.delta.length;
          yield event;
          break;
        case "dropped":
          if (!warned.has(event.setting) && call.settings[event.setting] !== undefined)
            yield {
              type: "warning",
              warning: { setting: event.setting, message: "changed or not sent: the model does not support it" },
            };
          break;
        case "finish":
          yield* finish(event, { call, textChars, progress, hasNoText: !progress.hasAnswered });
          return;
      }
    }
    throw new ModelError("PROVIDER_ERROR", "the provider's response was cut off", { isRetryable: true });
  } finally {
    deadlines.close();
  }
}

function* finish(
  { reason, usage, toolCalls }: Extract<AdapterEvent, { type: "finish" }>,
  seen: { call: ModelCall; textChars: number; progress: { hasAnswered: boolean }; hasNoText: boolean },
): Generator<ModelEvent, void, undefined> {
  if (reason === "content_filter" && seen.hasNoText)
    throw new ModelError("CONTENT_FILTERED", "the provider declined to answer");
  seen.progress.hasAnswered = true;
  // Calls before a content filter or the token limit may be incomplete.
  const calls = reason === "tool_calls" ? toolCalls : [];
  for (const call of calls) yield { type: "tool_call", call };
  yield { type: "finish", reason, usage: countUsage(usage, seen.call, { textChars: seen.textChars, toolCalls }) };
}

function warnOfTools(call: ModelCall, model: OfferedModel): readonly ModelWarning[] {
  if (call.tools.length === 0 || model.supports.tools) return [];
  return [{ setting: "tools", message: "not sent: the model does not support tools" }];
}

function note(observer: Observer, place: { framework: string; model: string }, failure: ModelError): void {
  const { code, providerStatus, attempts, message } = failure;
  observer.note(code === "PROVIDER_AUTH_FAILED" ? "provider.refused" : "provider.failed", {
    ...place,
    code,
    providerStatus,
    attempt: attempts,
    message,
  });
}

/** How long to wait before the next attempt at the same provider; null means no further attempt. */
function decideRetry(error: ModelError, attempt: number, random: () => number): number | null {
  if (!error.isRetryable || attempt > MAX_RETRIES) return null;
  // Our own timers have waited longer than any delay. A timeout that the provider reports (408, 504) is retried.
  if (error.code === "PROVIDER_TIMEOUT" && error.providerStatus === null) return null;
  const jitter = random() * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1));
  if (error.retryAfterMs === null) return jitter;
  return error.retryAfterMs > MAX_HINT_MS ? null : Math.min(MAX_HINT_MS, error.retryAfterMs + jitter);
}

/** Whether another provider may succeed. Errors of the conversation itself would occur there too. */
function mayFallBack(error: ModelError): boolean {
  return error.isRetryable || error.code === "PROVIDER_AUTH_FAILED" || error.code === "PROVIDER_RATE_LIMITED";
}

interface FaultPlace {
  readonly framework: Framework;
  readonly model: string;
  readonly attempt: number;
  readonly now: Date;
}

/** Translates any failure of a call. It is not kept as the cause, because vendors quote keys, prompts and addresses. */
function explainFault(error: unknown, adapter: Adapter, place: FaultPlace): ModelError {
  const attempts = place.attempt;
  if (error instanceof ModelError) {
    const { code, message, isRetryable, providerStatus, retryAfterMs } = error;
    return new ModelError(code, message, { isRetryable, providerStatus, retryAfterMs, attempts });
  }
  const { code, isRetryable, text, status, retryAfterMs } = adapter.explainFault(error, place.now);
  return new ModelError(code, `${place.framework}, model ${place.model}: ${text}`, {
    isRetryable,
    providerStatus: status,
    retryAfterMs: isRetryable ? retryAfterMs : null,
    attempts,
  });
}
