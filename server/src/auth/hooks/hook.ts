import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { AppError } from "../../errors/index.ts";
import { isRecord, type JsonRecord, readJson } from "../../json/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { Clock } from "../../time/index.ts";
import { authError, type AuthErrorCode } from "../auth-error.ts";
import { recordHookFailure } from "../sql/hooks.ts";
import type { Queryable } from "../../db/index.ts";
import type { HookTarget } from "./hook-target.ts";

export interface Hook {
  readonly target: HookTarget;
  /**
   * Asks the hook, and reads its answer. Null means that the hook failed, and its policy is to go on without it. Rejects with what the
   * client gets: the error that the hook decided on, or that of its failure (`isHookFailure`).
   */
  ask<Answer>(asked: AskedHook<Answer>): Promise<Answer | null>;
  /** Takes as long as one of the latest calls, and fails if it did: for cases that must look like a call. */
  imitate(): Promise<void>;
}

interface AskedHook<Answer> {
  readonly event: JsonRecord;
  /** The client's. */
  readonly address?: string | undefined;
  /** Throws a `HookFault` for an answer that is not valid. */
  read(answer: JsonRecord): Answer;
}

interface HookPorts {
  readonly target: HookTarget;
  /** Sends the event, and returns the text of the answer. */
  call(id: string, body: string): Promise<string>;
  readonly db: Queryable;
  readonly clock: Clock;
  readonly observer: Observer;
}

const KEPT_CALLS = 32;

export function openHook({ target, call, db, clock, observer }: HookPorts): Hook {
  const latest: Readonly<{ durationMs: number; failure: AppError | null }>[] = [];
  const keep = (startedMs: number, failure: AppError | null): void => {
    latest.push({ durationMs: performance.now() - startedMs, failure });
    if (latest.length > KEPT_CALLS) latest.shift();
  };
  const fail = async (error: unknown): Promise<AppError | null> => {
    const fault = error instanceof HookFault ? error : new HookFault("call not possible", { cause: error });
    const { code, reason } = fault;
    observer.note("hook.failed", { hook: target.name, reason, error: fault.cause });
    // The answer does not depend on what operators can read later.
    await recordHookFailure(db, target.name, reason).catch(() => {});
    if (target.policy === "continue") return null;
    return authError(code, `The hook ${target.name} failed`, { cause: fault });
  };
  return {
    target,
    async ask({ event, address, read }) {
      const id = randomUUID();
      const metadata = { uuid: id, time: clock.now().toISOString(), name: target.event, ip_address: address };
      const body = JSON.stringify({ metadata, ...event });
      const startedMs = performance.now();
      try {
        const answer = parseAnswer(await call(id, body));
        const refusal = findRefusal(answer);
        if (refusal !== null) throw refusal;
        const understood = read(answer);
        keep(startedMs, null);
        return understood;
      } catch (error) {
        const isDecided = error instanceof AppError;
        const failure = isDecided ? null : await fail(error);
        keep(startedMs, failure);
        if (isDecided || failure !== null) throw failure ?? error;
        return null;
      }
    },
    async imitate() {
      const like = latest[Math.floor(Math.random() * latest.length)];
      if (like === undefined) return;
      await wait(like.durationMs);
      if (like.failure !== null) throw like.failure;
    },
  };
}

/** No answer is an empty one, as with status 204. */
function parseAnswer(text: string): JsonRecord {
  const reading = readJson(text === "" ? "{}" : text);
  if (reading.fault !== null) throw new HookFault("answer not JSON");
  if (!isRecord(reading.value)) throw new HookFault("answer not an object");
  return reading.value;
}

/** The error that the hook wants the client to get. */
function findRefusal({ error }: JsonRecord): AppError | null {
  if (error === undefined || error === null) return null;
  if (!isRecord(error)) throw new HookFault("error not an object");
  const { http_code: given, message } = error;
  if (typeof message !== "string" || message === "") throw new HookFault("error without a message");
  const status = typeof given === "number" && Number.isInteger(given) && given >= 400 && given <= 599 ? given : 500;
  const code = status >= 500 ? "unexpected_failure" : "hook_refused";
  return authError(code, message.slice(0, MAX_MESSAGE_CHARS).toWellFormed(), { status });
}

/** Why a hook gave no valid answer. Neither the reason nor the message has anything that the hook has said. */
export class HookFault extends Error {
  readonly code: AuthErrorCode;
  /** Few words, under which failures are counted. */
  readonly reason: string;

  constructor(reason: string, { code = "unexpected_failure", cause }: { code?: AuthErrorCode; cause?: unknown } = {}) {
    super(`The hook failed: ${reason}`, { cause });
    this.name = "HookFault";
    this.reason = reason;
    this.code = code;
  }
}

export const timedOut = (cause?: unknown): HookFault => new HookFault("timeout", { code: "hook_timeout", cause });

export const tooLarge = (): HookFault => new HookFault("answer too large", { code: "hook_payload_over_size_limit" });

/** Whether a request was refused because its hook failed, and not because the hook said so. */
export function isHookFailure(error: unknown): error is Error & { readonly cause: HookFault } {
  return error instanceof Error && error.cause instanceof HookFault;
}

const MAX_MESSAGE_CHARS = 500;

export interface HookDecision {
  readonly isRejected: boolean;
  /** For the client; undefined means the message of the error's code. */
  readonly message: string | undefined;
  readonly shouldLogOut: boolean;
}

/** Without `absent`, a hook that says nothing has decided nothing. */
export function readDecision(answer: JsonRecord, absent?: "continue"): HookDecision {
  const { decision = absent, message, should_logout_user: logOut } = answer;
  if (decision !== "continue" && decision !== "reject") throw new HookFault("no decision");
  return {
    isRejected: decision === "reject",
    message: typeof message === "string" && message !== "" ? message.slice(0, MAX_MESSAGE_CHARS) : undefined,
    // The documentation of Supabase has it as a text.
    shouldLogOut: logOut === true || logOut === "true",
  };
}
