import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../../src/errors/index.ts";
import { answerWith, isAtWork, type RunBody } from "../../../src/agents/streams/run-body.ts";

const runOf = (stopReason: string, codes: readonly string[], responses: readonly unknown[] = []): RunBody => ({
  run_id: "1",
  status: "failed",
  stop_reason: stopReason,
  responses,
  errors: codes.map((code) => ({ code, message: `because of ${code}` })),
  pending_approvals: null,
  pending_client_calls: null,
  pending_waits: null,
});

const CASES: readonly (readonly [stopReason: string, codes: readonly string[], status: number, code: string])[] = [
  ["loop_detected", ["LOOP_DETECTED"], 502, "LOOP_DETECTED"],
  ["context_length_exceeded", ["CONTEXT_LENGTH_EXCEEDED"], 400, "CONTEXT_LENGTH_EXCEEDED"],
  ["max_tokens_reached", ["MAX_TOKENS_REACHED"], 502, "MAX_TOKENS_REACHED"],
  ["schema_mismatch", ["RESPONSE_SCHEMA_MISMATCH"], 502, "RESPONSE_SCHEMA_MISMATCH"],
  ["guardrail_failed", ["GUARDRAIL_FAILED"], 502, "GUARDRAIL_FAILED"],
  ["content_filtered", ["GUARDRAIL_BLOCKED", "GUARDRAIL_BLOCKED"], 400, "GUARDRAIL_BLOCKED"],
  ["schema_mismatch", ["RESPONSE_SCHEMA_MISMATCH", "MAX_TOKENS_REACHED"], 502, "RESPONSE_SCHEMA_MISMATCH"],
  ["provider_error", ["RESPONSE_SCHEMA_MISMATCH", "PROVIDER_OVERLOADED"], 502, "PROVIDER_ERROR"],
  ["provider_error", ["PROVIDER_TIMEOUT", "PROVIDER_TIMEOUT"], 504, "PROVIDER_TIMEOUT"],
  ["provider_error", ["PROVIDER_TIMEOUT", "PROVIDER_OVERLOADED"], 502, "PROVIDER_ERROR"],
  ["timeout", [], 504, "PROVIDER_TIMEOUT"],
  ["worker_lost", [], 503, "SERVICE_UNAVAILABLE"],
];

for (const [stopReason, codes, status, code] of CASES)
  test(`a run that failed with ${codes.join(", ") || stopReason} is answered with ${status} ${code}`, () => {
    assert.throws(
      () => answerWith(runOf(stopReason, codes), {}),
      (error) => error instanceof AppError && error.status === status && error.code === code,
    );
  });

test("an answer that does not satisfy its schema is kept, and the call fails all the same", () => {
  const run = runOf("schema_mismatch", ["RESPONSE_SCHEMA_MISMATCH"], [{ message: { content: "not JSON" } }]);
  assert.throws(
    () => answerWith(run, {}),
    (error) => error instanceof AppError && error.status === 502 && error.code === "RESPONSE_SCHEMA_MISMATCH",
  );
});

test("a run is at work while it or each of its sub-tasks is executed", () => {
  const body = (status: RunBody["status"], waits: RunBody["pending_waits"] = null): RunBody => ({
    ...runOf("", []),
    status,
    pending_waits: waits,
  });
  const [working, waiting, sleeping] = [{ is_at_work: true }, { is_at_work: false }, {}];
  for (const at of [body("running"), body("waiting"), body("waiting", [working, working])]) assert.ok(isAtWork(at));
  for (const at of [
    body("queued"),
    body("requires_action", [working]),
    body("waiting", [working, waiting]),
    body("waiting", [sleeping]),
    body("completed"),
  ])
    assert.ok(!isAtWork(at));
});
