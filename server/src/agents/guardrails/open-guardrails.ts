import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { GUARDRAIL_DEFAULTS } from "@swarmbase/sdk";
import { LRUCache } from "lru-cache";
import { RE2JS } from "re2js";
import { isRecord } from "../../json/index.ts";
import { checkAnswer } from "../schemas/check-answer.ts";
import { createLinearPatterns } from "../schemas/linear-pattern.ts";
import { createStepMeter, TooManySteps } from "../schemas/meter-keywords.ts";
import type { SchemaCompiler } from "../schemas/schema-compiler.ts";
import { askWebhook, type WebhookPorts } from "./ask-webhook.ts";
import {
  type CheckSubject,
  type Guardrail,
  GuardrailFailure,
  type Guardrails,
  PASSED,
  type Verdict,
} from "./guardrail.ts";

/** A search is linear in the text, but a text can have as many searches as characters. */
const MAX_REPLACE_MS = 200;

const TOO_LONG = "the text takes too long to check with its pattern";

/** A turn checks all messages that it reads, of which most were checked by earlier turns. */
const MAX_CACHED_CHARS = 20_000_000;
const ENTRY_CHARS = 200;
/** The policy of an endpoint can change. */
const MAX_AGE_MS = 3_600_000;
const MAX_REASON_CHARS = 500;

interface GuardrailPorts extends WebhookPorts {
  readonly schemas: SchemaCompiler;
}

export function openGuardrails(ports: GuardrailPorts): Guardrails {
  const verdicts = new LRUCache<string, Verdict>({
    maxSize: MAX_CACHED_CHARS,
    ttl: MAX_AGE_MS,
    sizeCalculation: (verdict) => ENTRY_CHARS + (verdict.isTripped ? verdict.replacement.length : 0),
  });
  /** Agents that speak at the same time read the same messages. */
  const inFlight = new Map<string, Promise<Verdict>>();

  const decide = async (guardrail: Guardrail, text: string, subject: CheckSubject, key: string): Promise<Verdict> => {
    try {
      const verdict = await judge(ports, guardrail, text, subject);
      verdicts.set(key, verdict);
      return verdict;
    } catch (error) {
      if (error instanceof GuardrailFailure && guardrail.config["on_error"] === "pass") return PASSED;
      throw error;
    }
  };

  return {
    async check(guardrail, text, subject) {
      const key = keyOf(guardrail, text, subject);
      const known = verdicts.get(key);
      if (known !== undefined) return known;
      const runKey = `${subject.runId}:${key}`;
      const pending = inFlight.get(runKey);
      if (pending !== undefined) return pending;
      const started = decide(guardrail, text, subject, key).finally(() => inFlight.delete(runKey));
      inFlight.set(runKey, started);
      return started;
    },
  };
}

/** A verdict holds for the text and the guardrail as it is, and for the model that was asked. */
function keyOf({ id, kind, action, config }: Guardrail, text: string, { agent }: CheckSubject): string {
  const asked = kind === "model" ? [agent.framework, agent.model] : kind === "webhook" ? [agent.id] : [];
  return hash("sha256", JSON.stringify([id, action, config, asked, text]), "base64");
}

async function judge(
  ports: GuardrailPorts,
  guardrail: Guardrail,
  text: string,
  subject: CheckSubject,
): Promise<Verdict> {
  const { kind, action, config } = guardrail;
  // A turn can read many long messages, whose patterns must not block the event loop together.
  await setImmediate();
  const replacement = textOf(config["replacement"]) ?? GUARDRAIL_DEFAULTS.replacement;
  switch (kind) {
    case "pattern": {
      const pattern = textOf(config["pattern"]) ?? "";
      if (!hasMatch(pattern, text)) return PASSED;
      const rewritten = action === "rewrite" ? replaceMatches(pattern, text, replacement) : "";
      return rewritten === text ? PASSED : trip("The text matches the pattern.", rewritten);
    }
    case "schema": {
      const { schema } = config;
      if (!isRecord(schema)) throw new GuardrailFailure("its schema is not valid");
      const checked = checkAnswer(ports.schemas, schema, text);
      return checked.ok ? PASSED : trip(`The text does not satisfy the schema: ${checked.fault}.`, replacement);
    }
    case "model": {
      const reason = await subject.askModel(guardrail, text);
      return reason === null ? PASSED : trip(reason, replacement);
    }
    case "webhook": {
      const answer = await askWebhook(ports, guardrail, text, subject);
      if (answer.allowed) return PASSED;
      return trip(answer.reason ?? "The webhook did not allow the text.", answer.replacement ?? replacement);
    }
  }
}

function trip(reason: string, replacement: string): Verdict {
  return { isTripped: true, reason: reason.slice(0, MAX_REASON_CHARS).toWellFormed(), replacement };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** Whether the pattern occurs in the text. Throws a GuardrailFailure when the text is too long for the pattern. */
function hasMatch(pattern: string, text: string): boolean {
  const meter = createStepMeter();
  meter.reset();
  try {
    return createLinearPatterns(meter).regExp(pattern).test(text);
  } catch (error) {
    if (error instanceof TooManySteps) throw new GuardrailFailure(TOO_LONG);
    throw new GuardrailFailure("its pattern is not valid", error);
  }
}

/** Replaces all matches that are not empty. The replacement is plain text. Must follow `hasMatch`, which bounds one search. */
function replaceMatches(pattern: string, text: string, replacement: string): string {
  const matcher = RE2JS.compile(pattern).matcher(text);
  const deadlineMs = performance.now() + MAX_REPLACE_MS;
  const parts: string[] = [];
  let end = 0;
  while (matcher.find()) {
    if (performance.now() > deadlineMs) throw new GuardrailFailure(TOO_LONG);
    if (matcher.end() === matcher.start()) continue;
    parts.push(text.slice(end, matcher.start()), replacement);
    end = matcher.end();
  }
  return parts.join("") + text.slice(end);
}
