// Examples that the compiler has to accept or reject; never run.
import type { SupabaseClient } from "@supabase/supabase-js";
import {
  applyRunEvent,
  attach,
  beginLiveRun,
  type Database,
  emit,
  type FunctionErrorCode,
  type FunctionsClient,
  invokeFunction,
  isFunctionError,
  type Message,
  type PendingApproval,
  respond,
  type Run,
  type RunStreamEvent,
  type Tool,
} from "@swarmbase/sdk";

/** True only for types that are the same. */
type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
/** As the compiler shows it: intersections and generated interfaces become plain members. */
type Plain<Type> = { [Key in keyof Type]: Type[Key] };
function expectSame<One, Other>(_isSame: Same<One, Other>): void {}

const swarm_id = "01a1df08-9751-7013-b82e-db7e0071bee4";
const run_id = swarm_id;
const webhook_id = swarm_id;

export async function streams(client: SupabaseClient<Database>, untyped: SupabaseClient): Promise<void> {
  let run = beginLiveRun("", swarm_id);
  for await (const event of respond(client, { swarm_id, message: "Hello" })) {
    run = applyRunEvent(run, event);
    expectSame<typeof event, RunStreamEvent>(true);
    switch (event.type) {
      case "message.delta":
        expectSame<typeof event.data.delta, string>(true);
        // @ts-expect-error: only the end of a run has responses
        void event.data.responses;
        break;
      case "message.created":
        expectSame<typeof event.data.message, Message>(true);
        break;
      case "tool.approval_required":
        expectSame<typeof event.data.expires_at, string | null>(true);
        break;
      case "tool.error":
        expectSame<typeof event.data.status, "failed" | "denied" | "timed_out" | "cancelled">(true);
        break;
      case "run.completed":
        expectSame<typeof event.data.status, "completed" | "partial" | "failed" | "cancelled">(true);
        break;
      // @ts-expect-error: no such event
      case "message.finished":
        break;
      default:
    }
  }
  expectSame<Awaited<ReturnType<ReturnType<typeof attach>["result"]>>, Run>(true);
  expectSame<NonNullable<Run["pending_approvals"]>[number], PendingApproval>(true);
  respond(untyped, {
    swarm_id,
    message: "Hello",
    agent_ids: ["a"] as const,
    on_conflict: "reject",
    metadata: { a: 1 },
  });
  attach(untyped, run_id, { lastEventId: 7, include_reasoning: true, signal: AbortSignal.timeout(1) });
  // @ts-expect-error: the message is required
  respond(client, { swarm_id });
  // @ts-expect-error: no such member
  respond(client, { swarm_id, message: "Hello", agentIds: [] });
  // @ts-expect-error: not one of the choices
  respond(client, { swarm_id, message: "Hello", on_conflict: "wait" });
  // @ts-expect-error: a stream is not in the background
  respond(client, { swarm_id, message: "Hello", background: true });
  // @ts-expect-error: a number
  attach(client, run_id, { lastEventId: "7" });
  // @ts-expect-error: not a client
  respond({}, { swarm_id, message: "Hello" });
}

export async function calls(client: FunctionsClient): Promise<void> {
  const cancelled = await invokeFunction(client, "agent-respond", { action: "cancel", run_id });
  expectSame<typeof cancelled, Run>(true);
  const decisions = [{ tool_execution_id: run_id, approved: false, reason: "Too expensive" }];
  const approved = await invokeFunction(client, "agent-respond", { action: "approve", run_id, decisions });
  expectSame<typeof approved, Run>(true);
  const retried = await invokeFunction(client, "webhook-dispatcher", { action: "retry", delivery_id: run_id });
  expectSame<typeof retried.status, "delivered">(true);
  const recovery = await invokeFunction(client, "webhook-dispatcher", { action: "recovery", recovery_id: run_id });
  expectSame<typeof recovery.status, "running" | "completed">(true);
  const secret = await invokeFunction(client, "webhooks", { action: "regenerate_secret", webhook_id });
  expectSame<typeof secret.new_secret, string>(true);
  const tested = await invokeFunction(client, "test-webhook", { webhook_id, event_type: "message.created" });
  expectSame<typeof tested.status_code, number | null>(true);
  const { imported } = await invokeFunction(client, "tools", {
    action: "import",
    url: "https://a.example",
    names: ["a"],
  });
  expectSame<typeof imported, Tool[]>(true);
  const batch = await invokeFunction(client, "batch", { operations: [{ method: "GET", path: "/agents" }] });
  expectSame<(typeof batch.results)[number]["status"], number>(true);
  const ids = await emit(client, [{ type: "app.order.paid", data: { total: 1 }, user_id: run_id }], {
    idempotencyKey: "A-1017",
  });
  expectSame<typeof ids, string[]>(true);
  // @ts-expect-error: not a type of the app
  await emit(client, [{ type: "agent.created", data: {} }]);
  // @ts-expect-error: no such function
  await invokeFunction(client, "agent-answer", { swarm_id, message: "Hello" });
  // @ts-expect-error: no such action
  await invokeFunction(client, "webhooks", { action: "forget_secret", webhook_id });
  // @ts-expect-error: a member of another action
  await invokeFunction(client, "webhook-dispatcher", { action: "retry", delivery_id: run_id, since: "2026-11-15" });
  // @ts-expect-error: decisions are required
  await invokeFunction(client, "agent-respond", { action: "approve", run_id });
  // @ts-expect-error: no such event type
  await invokeFunction(client, "test-webhook", { webhook_id, event_type: "message.read" });
  // @ts-expect-error: streams are for respond
  await invokeFunction(client, "agent-respond", { swarm_id, message: "Hello", stream: true });
  // @ts-expect-error: of another action
  void retried.deliveries;
}

export function errors(error: unknown): string {
  if (!isFunctionError(error, "agent-respond")) return "";
  switch (error.code) {
    case "SWARM_BUSY":
      return `again in ${error.retryAfterSeconds ?? 5} s`;
    case "PROVIDER_ERROR":
      return error.run?.status ?? "";
    // @ts-expect-error: of another function
    case "DELIVERY_FAILED":
      return "";
    default:
      return error.message;
  }
}

expectSame<FunctionErrorCode<"batch">, string>(true);
// Functions return the same rows as tables.
expectSame<Plain<Message>, Database["public"]["Tables"]["messages"]["Row"]>(true);

export async function schedules(client: SupabaseClient<Database>): Promise<string | undefined> {
  const tool = { name: "plan", description: "Plans its own work.", config: { action: "schedule" } };
  await client.from("tools").insert({ ...tool, kind: "schedule" });
  // @ts-expect-error: no such kind
  await client.from("tools").insert({ ...tool, kind: "timetable" });
  const { run_id: started } = await invokeFunction(client, "schedules", { action: "run_now", schedule_id: swarm_id });
  expectSame<typeof started, string>(true);
  const { data } = await client.from("schedules").select("when_running, last_outcomes").single();
  expectSame<NonNullable<typeof data>["when_running"], "skip" | "queue">(true);
  // @ts-expect-error: the service writes it
  await client.from("schedules").update({ last_outcomes: [] });
  return data?.last_outcomes[0]?.outcome;
}
