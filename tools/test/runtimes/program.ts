import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import {
  attach,
  createSignedFetch,
  type Database,
  invokeFunction,
  isFunctionError,
  respond,
  type RunStream,
  type RunStreamEvent,
  verifyWebhook,
  WebhookVerificationError,
} from "@swarmbase/sdk";

/** What a program is told about the service. */
export interface Instance {
  readonly url: string;
  /** The same service behind a proxy that breaks connections. */
  readonly shakyUrl: string;
  readonly anonKey: string;
  /** A receiver of webhooks that returns its last request when it is asked with GET. */
  readonly receiverUrl: string;
  readonly email: string;
}

type Client = SupabaseClient<Database>;

interface Received {
  readonly headers: Record<string, string>;
  readonly body: string;
}

const QUICK = { initialDelayMs: 1, maxDelayMs: 20, attempts: 200 };

/** Uses the SDK as an app does, with web standards alone, and returns the names of what has worked. */
export async function useSwarmbase({ url, shakyUrl, anonKey, receiverUrl, email }: Instance): Promise<string[]> {
  const open = (at: string, send?: typeof fetch): Client =>
    createClient<Database>(at, anonKey, {
      auth: { persistSession: false, autoRefreshToken: false },
      ...(send && { global: { fetch: send } }),
    });
  const client = open(url);
  const { data, error } = await client.auth.signUp({ email, password: "correct horse battery" });
  if (error !== null) throw error;
  const { session, user } = data;
  if (session === null || user === null) throw new Error("there is no session");
  const { data: agent } = await client.from("agents").insert({ name: "Guide" }).select("id").single().throwOnError();

  await ask(client, agent.id);
  const events = await stream(client, agent.id);
  await resume(client, agent.id);
  const shaky = open(shakyUrl);
  // Without a request, so that the proxy breaks only connections of functions.
  shaky.functions.setAuth(session.access_token);
  await reconnect(client, shaky, agent.id);
  await abort(client, agent.id);
  await reject(client);
  await verify(client, receiverUrl);
  const { new_secret: secret } = await invokeFunction(client, "request-signing", { action: "regenerate_secret" });
  const signed = open(url, createSignedFetch({ secret, userId: user.id, fetch }));
  await signed.auth.setSession(session);
  await sign(client, signed, user.id, agent.id);
  check(events > 0, "no events");
  return ["sign up", "ask", "stream", "resume", "reconnect", "abort", "reject", "verify", "sign"];
}

async function ask(client: Client, agentId: string): Promise<void> {
  const run = await invokeFunction(client, "agent-respond", { agent_id: agentId, message: "Is the bridge open?" });
  check(run.status === "completed" && run.responses.length === 1, `the run is ${run.status}`);
}

async function stream(client: Client, agentId: string): Promise<number> {
  const running = respond(client, { agent_id: agentId, message: "Is it open?" });
  const events = await collect(running);
  const [answer] = (await running.result()).responses;
  const text = events.map((event) => (event.type === "message.delta" ? event.data.delta : "")).join("");
  check(answer?.message.content === text, `the stream has another text: ${text}`);
  check(events.at(-1)?.type === "done", "the stream does not end");
  return events.length;
}

async function resume(client: Client, agentId: string): Promise<void> {
  const running = respond(client, { agent_id: agentId, message: "And tomorrow?" });
  const first: RunStreamEvent[] = [];
  for await (const event of running) {
    first.push(event);
    if (event.type === "message.delta") break;
  }
  const { runId, lastEventId } = running;
  check(runId !== null && lastEventId > 0, "the stream has no position");
  const rest = await collect(attach(client, runId ?? "", { lastEventId }));
  const all = await collect(attach(client, runId ?? ""));
  check(rest.length > 1, "the rest is empty");
  check(isSame([...first, ...rest], all), "events are lost or repeated");
}

async function reconnect(client: Client, shaky: Client, agentId: string): Promise<void> {
  let lost = 0;
  const onConnectionChange = (isConnected: boolean): void => void (isConnected || (lost += 1));
  const running = respond(
    shaky,
    { agent_id: agentId, message: "And next week?" },
    { reconnect: QUICK, onConnectionChange },
  );
  const events = await collect(running);
  check(lost > 2, `${lost} connections were lost`);
  check(isSame(events, await collect(attach(client, running.runId ?? ""))), "events are lost or repeated");
}

async function abort(client: Client, agentId: string): Promise<void> {
  const leaving = new AbortController();
  const reason = new Error("The user left");
  try {
    for await (const event of respond(client, { agent_id: agentId, message: "Wait." }, { signal: leaving.signal }))
      if (event.type === "message.delta") leaving.abort(reason);
  } catch (error) {
    check(error === reason, `the loop throws ${String(error)}`);
    return;
  }
  throw new Error("an aborted stream ends as if it were complete");
}

async function reject(client: Client): Promise<void> {
  const missing = { agent_id: "00000000-0000-4000-8000-000000000000", message: "Hello?" };
  for (const call of [
    () => invokeFunction(client, "agent-respond", missing),
    () => respond(client, missing).result(),
  ]) {
    const error: unknown = await call().catch((thrown: unknown) => thrown);
    check(isFunctionError(error, "agent-respond") && error.code === "AGENT_NOT_FOUND", String(error));
  }
}

async function verify(client: Client, url: string): Promise<void> {
  const { data: webhook } = await client
    .from("webhooks")
    .insert({ name: "Receiver", url, events: ["agent.created"] })
    .select("id, secret")
    .single()
    .throwOnError();
  await invokeFunction(client, "test-webhook", { webhook_id: webhook.id, event_type: "agent.created" });
  const { headers, body } = (await (await fetch(url)).json()) as Received;
  const event = await verifyWebhook(body, new Headers(headers), webhook.secret);
  check(event.type === "agent.created", `the event is ${event.type}`);
  const error: unknown = await verifyWebhook(`${body} `, headers, webhook.secret).catch((thrown: unknown) => thrown);
  check(error instanceof WebhookVerificationError && error.reason === "signature_mismatch", String(error));
}

async function sign(client: Client, signed: Client, userId: string, agentId: string): Promise<void> {
  await signed
    .from("user_settings")
    .update({ require_message_signature: true })
    .eq("user_id", userId)
    .select()
    .single()
    .throwOnError();
  const { status } = await client.from("agents").select("id");
  check(status === 401, `a request without a signature returns ${status}`);
  const { data: agents } = await signed.from("agents").select("id").eq("id", agentId).throwOnError();
  check(agents.length === 1, "the signed request finds nothing");
  const events = await collect(respond(signed, { agent_id: agentId, message: "Straße, 東京?" }));
  check(events.at(-1)?.type === "done", "the signed stream does not end");
}

async function collect(running: RunStream): Promise<RunStreamEvent[]> {
  const events: RunStreamEvent[] = [];
  for await (const event of running) events.push(event);
  return events;
}

/** Compares what cannot differ between live and stored events; the order of members can. */
function isSame(left: readonly RunStreamEvent[], right: readonly RunStreamEvent[]): boolean {
  const [first, second] = [left, right].map((events) =>
    JSON.stringify(events.map((event) => [event.id, event.type, event.type === "message.delta" && event.data.delta])),
  );
  return first === second;
}

function check(isTrue: boolean, message: string): void {
  if (!isTrue) throw new Error(message);
}
