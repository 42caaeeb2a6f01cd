import { once } from "node:events";
import { readFile } from "node:fs/promises";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Credentials } from "../../../../server/test/support/service.ts";
import type { RecordedExchange } from "../../src/tables/table-description.ts";
import { Placeholders } from "./placeholders.ts";
import { sendRequest } from "./send-request.ts";

/** The service that examples are recorded on needs a simulated provider. */
export const EXAMPLE_ENVIRONMENT: Readonly<Record<string, string>> = { PROVIDER_A_KIND: "simulated" };

const PASSWORD = "correct horse battery";
const HOOK_URL = "https://example.com/hook";

type Row = Readonly<Record<string, unknown>>;

interface Caller {
  readonly token: string;
  readonly id?: string;
}

interface Write {
  readonly body?: unknown;
  readonly by?: Caller;
}

/** Sends the requests of the table reference to a new service without accounts, and returns what was sent and answered. */
export async function recordExchanges(credentials: Credentials, dataDir: string): Promise<readonly RecordedExchange[]> {
  const receiver = await startReceiver(dataDir);
  try {
    return await new Recorder(
      credentials,
      await readFile(credentials.ca_cert_file ?? "", "utf8"),
      receiver.url,
    ).record();
  } finally {
    receiver.close();
  }
}

class Recorder {
  readonly #credentials: Credentials;
  readonly #ca: string;
  readonly #hookUrl: string;
  readonly #exchanges: RecordedExchange[] = [];
  readonly #placeholders: Placeholders;
  #ada: Caller = { token: "" };

  constructor(credentials: Credentials, ca: string, hookUrl: string) {
    this.#credentials = credentials;
    this.#ca = ca;
    this.#hookUrl = hookUrl;
    this.#placeholders = new Placeholders(new Map([[hookUrl, HOOK_URL]]));
  }

  async record(): Promise<readonly RecordedExchange[]> {
    this.#ada = await this.#signUp("ada@example.com", "Ada Lovelace");
    const bob = await this.#signUp("bob@example.com", "Bob Kahn");
    const agent = await this.#recordAgents();
    const swarm = await this.#recordSwarms(agent, bob);
    await this.#recordMessages(swarm, bob);
    await this.#recordRuns(swarm);
    await this.#recordGrants(agent, bob);
    await this.#recordEvals(agent);
    await this.#recordSchedules(agent);
    await this.#recordTriggers(agent);
    await this.#recordWebhooks();
    await this.#recordPeople(bob);
    await this.#delete("swarm_agents", `agent_id=eq.${agent}`);
    await this.#delete("swarm_members", "role=eq.member");
    await this.#delete("agents", `id=eq.${agent}`);
    await this.#delete("swarms", `id=eq.${swarm}`);
    return this.#exchanges;
  }

  async #recordAgents(): Promise<string> {
    const [agent] = await this.#insert("agents", {
      body: { name: "Ann", role: "Guide", system_prompt: "Answer briefly.", settings: { temperature: 0.2 } },
    });
    const id = idOf(agent);
    await this.#read("agents", `id=eq.${id}`);
    await this.#update("agents", `id=eq.${id}`, { body: { role: "Librarian" } });
    await this.#read("agent_cards", "");
    await this.#read("models", "framework=eq.provider_a&limit=1");
    const [tool] = await this.#insert("tools", {
      body: {
        name: "find_order",
        description: "Looks up an order by its number.",
        input_schema: { type: "object", properties: { number: { type: "string" } }, required: ["number"] },
        config: { url: "https://shop.example.com/api/orders/{number}" },
        secrets: { api_token: "secret" },
      },
    });
    await this.#read("tools", "name=eq.find_order");
    await this.#update("tools", `id=eq.${idOf(tool)}`, { body: { requires_approval: true } });
    const [calculator] = await this.#rows("tools?name=eq.calculator&select=id");
    const [assignment] = await this.#insert("agent_tools", { body: { agent_id: id, tool_id: idOf(calculator) } });
    await this.#read("agent_tools", `agent_id=eq.${id}`);
    await this.#update("agent_tools", `id=eq.${idOf(assignment)}`, { body: { configuration: { timeout_ms: 5000 } } });
    await this.#insertQuietly("agent_tools", { agent_id: id, tool_id: idOf(tool) });
    await this.#delete("agent_tools", `agent_id=eq.${id}&tool_id=eq.${idOf(tool)}`);
    await this.#delete("tools", `id=eq.${idOf(tool)}`);
    const [guardrail] = await this.#insert("guardrails", {
      body: {
        agent_id: id,
        name: "No card numbers",
        kind: "pattern",
        stage: "output",
        action: "rewrite",
        config: { pattern: "[0-9]{4}(-[0-9]{4}){3}", replacement: "[card]" },
      },
    });
    await this.#read("guardrails", `agent_id=eq.${id}&order=position`);
    await this.#update("guardrails", `id=eq.${idOf(guardrail)}`, { body: { is_active: false } });
    await this.#delete("guardrails", `id=eq.${idOf(guardrail)}`);
    await this.#read("agent_versions", `agent_id=eq.${id}&order=number.desc&limit=1`);
    return id;
  }

  async #recordSwarms(agent: string, bob: Caller): Promise<string> {
    const [swarm] = await this.#insert("swarms", { body: { name: "Support", strategy: "round_robin" } });
    const id = idOf(swarm);
    await this.#read("swarms", `id=eq.${id}`);
    await this.#update("swarms", `id=eq.${id}`, { body: { settings: { max_turns: 10 } } });
    const [place] = await this.#insert("swarm_agents", { body: { swarm_id: id, agent_id: agent } });
    await this.#read("swarm_agents", `swarm_id=eq.${id}`);
    await this.#update("swarm_agents", `id=eq.${idOf(place)}`, { body: { role_override: "First line" } });
    const [member] = await this.#insert("swarm_members", { body: { swarm_id: id, email: "bob@example.com" } });
    await this.#read("swarm_invitations", "", bob);
    await this.#update("swarm_members", `id=eq.${idOf(member)}`, { body: { status: "active" }, by: bob });
    await this.#read("swarm_members", `swarm_id=eq.${id}&role=eq.member`);
    return id;
  }

  async #recordMessages(swarm: string, bob: Caller): Promise<void> {
    const [message] = await this.#insert("messages", {
      body: { swarm_id: swarm, content: "Hello", client_message_id: "first" },
    });
    const id = idOf(message);
    await this.#update("messages", `id=eq.${id}`, { body: { content: "Hello all" } });
    await this.#read("messages", `swarm_id=eq.${swarm}&order=seq.desc&limit=1`);
    await this.#read("message_revisions", `message_id=eq.${id}`);
    await this.#read("conversation_summaries", `swarm_id=eq.${swarm}&order=up_to_seq.desc`);
    await this.#delete("conversation_summaries", `swarm_id=eq.${swarm}&up_to_seq=eq.1`);
    const [flag] = await this.#insert("message_flags", { body: { message_id: id, category: "tone" }, by: bob });
    await this.#read("message_flags", "status=eq.open");
    await this.#update("message_flags", `id=eq.${idOf(flag)}`, { body: { status: "dismissed" } });
    const [position] = await this.#insert("read_positions", { body: { swarm_id: swarm, last_read_seq: 1 } });
    await this.#read("read_positions", `swarm_id=eq.${swarm}`);
    await this.#update("read_positions", `id=eq.${idOf(position)}`, { body: { last_read_seq: 2 } });
    await this.#delete("read_positions", `id=eq.${idOf(position)}`);
    const [another] = await this.#insertQuietly("messages", { swarm_id: swarm, content: "Oops" });
    const [second] = await this.#insertQuietly("message_flags", { message_id: idOf(another) }, bob);
    await this.#delete("message_flags", `id=eq.${idOf(second)}`, bob);
    await this.#delete("messages", `id=eq.${idOf(another)}`);
  }

  async #recordRuns(swarm: string): Promise<void> {
    const message = '/tool calculator {"expression": "6 * 7"}';
    const answered = await this.#call("POST", "/functions/v1/agent-respond", { swarm_id: swarm, message });
    const run = String((answered as Row)["run_id"]);
    await this.#read("runs", `id=eq.${run}`);
    for (const table of ["run_turns", "model_calls", "tool_executions"]) await this.#read(table, `run_id=eq.${run}`);
    await this.#read("run_events", `run_id=eq.${run}&order=seq&limit=1`);
    await this.#read("model_call_prompts", "limit=1");
    await this.#read("tool_execution_payloads", "limit=1");
    await this.#read("usage_records", `run_id=eq.${run}`);
    await this.#read("usage_daily", "order=day.desc");
  }

  async #recordGrants(agent: string, bob: Caller): Promise<void> {
    const [grant] = await this.#insert("agent_grants", {
      body: { agent_id: agent, audience: "user", user_id: bob.id, runs_per_day: 50 },
    });
    const id = idOf(grant);
    await this.#read("agent_grants", `agent_id=eq.${agent}`);
    await this.#read("agent_offers", "", bob);
    await this.#send("POST", "/functions/v1/agent-grants", { body: { action: "accept", grant_id: id }, by: bob });
    await this.#read("published_agents", "", bob);
    const asked = { agent_id: agent, message: "Where is my order?" };
    await this.#send("POST", "/functions/v1/agent-respond", { body: asked, by: bob });
    await this.#read("agent_customers", `agent_id=eq.${agent}`);
    await this.#read("customer_turns", `agent_id=eq.${agent}&order=created_at.desc`);
    await this.#update("agent_grants", `id=eq.${id}`, { body: { runs_per_day: 100 } });
    await this.#delete("agent_grants", `id=eq.${id}`);
  }

  /** Switched off: when it is planned would depend on the time. */
  async #recordSchedules(agent: string): Promise<void> {
    const row = { name: "Morning report", agent_id: agent, message: "What is new since yesterday?", enabled: false };
    const [schedule] = await this.#insert("schedules", {
      body: { ...row, cron: "0 9 * * 1-5", time_zone: "Europe/Berlin" },
    });
    await this.#read("schedules", `agent_id=eq.${agent}`);
    await this.#update("schedules", `id=eq.${idOf(schedule)}`, { body: { when_running: "queue" } });
    await this.#delete("schedules", `id=eq.${idOf(schedule)}`);
  }

  async #recordTriggers(agent: string): Promise<void> {
    const message = "Somebody has paid for order {{data.object.id}}.";
    const row = { name: "Paid orders", agent_id: agent, message, verification: "stripe" };
    const [trigger] = await this.#insert("triggers", { body: row });
    await this.#read("triggers", `agent_id=eq.${agent}`);
    await this.#read("trigger_calls", `trigger_id=eq.${idOf(trigger)}&order=created_at.desc`);
    await this.#update("triggers", `id=eq.${idOf(trigger)}`, { body: { calls_per_minute: 120 } });
    await this.#delete("triggers", `id=eq.${idOf(trigger)}`);
  }

  async #recordEvals(agent: string): Promise<void> {
    const [dataset] = await this.#insert("eval_datasets", { body: { name: "support" } });
    const id = idOf(dataset);
    await this.#read("eval_datasets", "name=eq.support");
    await this.#update("eval_datasets", `id=eq.${id}`, { body: { description: "Questions about orders" } });
    const expectation = { kind: "contains", texts: ["42"] };
    const [tested] = await this.#insert("eval_cases", {
      body: { dataset_id: id, name: "multiplies", input: "What is 6 times 7?", expectation },
    });
    await this.#read("eval_cases", `dataset_id=eq.${id}&order=position`);
    await this.#update("eval_cases", `id=eq.${idOf(tested)}`, { body: { position: 1 } });
    const [run] = await this.#insert("eval_runs", { body: { dataset_id: id, agent_id: agent, agent_version: 1 } });
    const [result] = await this.#insert("eval_results", {
      body: {
        eval_run_id: idOf(run),
        case_id: idOf(tested),
        case_name: "multiplies",
        input: "What is 6 times 7?",
        expectation,
        passed: true,
        output: "42",
      },
    });
    await this.#read("eval_results", `eval_run_id=eq.${idOf(run)}`);
    await this.#update("eval_results", `id=eq.${idOf(result)}`, { body: { reason: "the answer contains 42" } });
    await this.#update("eval_runs", `id=eq.${idOf(run)}`, {
      body: { status: "completed", case_count: 1, passed_count: 1 },
    });
    await this.#read("eval_runs", `dataset_id=eq.${id}&status=eq.completed`);
    await this.#delete("eval_results", `id=eq.${idOf(result)}`);
    await this.#delete("eval_runs", `id=eq.${idOf(run)}`);
    await this.#delete("eval_cases", `id=eq.${idOf(tested)}`);
    await this.#delete("eval_datasets", `id=eq.${id}`);
  }

  async #recordWebhooks(): Promise<void> {
    const [webhook] = await this.#insert("webhooks", {
      body: { name: "Orders", url: this.#hookUrl, events: ["message.created", "agent.error"] },
    });
    const id = idOf(webhook);
    await this.#read("webhooks", `id=eq.${id}`);
    await this.#update("webhooks", `id=eq.${id}`, { body: { retry_count: 5 } });
    await this.#call("POST", "/functions/v1/test-webhook", { webhook_id: id, event_type: "message.created" });
    await this.#read("webhook_deliveries", `webhook_id=eq.${id}`);
    await this.#read("webhook_delivery_attempts", `webhook_id=eq.${id}`);
    await this.#read("webhook_backlog", `webhook_id=eq.${id}`);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    await this.#call("POST", "/functions/v1/webhook-dispatcher", { action: "recover_since", webhook_id: id, since });
    await this.#waitForRecovery(id);
    await this.#read("webhook_recoveries", `webhook_id=eq.${id}`);
    await this.#call("POST", "/functions/v1/webhooks", { action: "regenerate_secret", webhook_id: id });
    await this.#read("webhook_previous_secrets", `webhook_id=eq.${id}`);
    await this.#delete("webhooks", `id=eq.${id}`);
    const service = { token: this.#credentials.service_role_key };
    await this.#insertQuietly(
      "event_types",
      {
        name: "app.order.paid",
        description: "An order was paid.",
        schema: { type: "object", properties: { order_id: { type: "string" } }, required: ["order_id"] },
        example: { order_id: "A-1017" },
      },
      service,
    );
    await this.#read("event_types", "name=eq.app.order.paid");
    const [feed] = await this.#insert("event_feeds", { body: { name: "Orders", events: ["app.order.paid"] } });
    await this.#read("event_feeds", `id=eq.${idOf(feed)}`);
    await this.#read("event_feed_backlog", `feed_id=eq.${idOf(feed)}`);
    await this.#update("event_feeds", `id=eq.${idOf(feed)}`, { body: { filter: { data: { total: { $gte: 100 } } } } });
    await this.#delete("event_feeds", `id=eq.${idOf(feed)}`);
  }

  /** The worker completes it, so that until then the row differs from run to run. */
  async #waitForRecovery(webhook: string): Promise<void> {
    for (;;) {
      const rows = await this.#rows(`webhook_recoveries?webhook_id=eq.${webhook}&status=eq.completed&select=id`);
      if (rows.length > 0) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async #recordPeople(bob: Caller): Promise<void> {
    await this.#read("profiles", "");
    await this.#update("profiles", "email=eq.ada@example.com", { body: { avatar_url: "https://example.com/ada.png" } });
    await this.#read("public_profiles", "order=full_name", bob);
    await this.#read("user_settings", "");
    await this.#call("POST", "/functions/v1/api-keys", { action: "create", name: "deploy", scopes: ["read", "run"] });
    await this.#read("api_keys", "order=created_at.desc");
    await this.#update("user_settings", "locale=is.null", { body: { locale: "en-GB", daily_cost_budget_usd: 2 } });
  }

  async #read(table: string, query: string, by = this.#ada): Promise<void> {
    await this.#exchange(table, "GET", query, { by });
  }

  #insert(table: string, write: Write): Promise<readonly Row[]> {
    return this.#exchange(table, "POST", "", write);
  }

  #update(table: string, query: string, write: Write): Promise<readonly Row[]> {
    return this.#exchange(table, "PATCH", query, write);
  }

  async #delete(table: string, query: string, by = this.#ada): Promise<void> {
    await this.#exchange(table, "DELETE", query, { by });
  }

  async #exchange(
    table: string,
    method: string,
    query: string,
    { body, by = this.#ada }: Write,
  ): Promise<readonly Row[]> {
    const path = `/${table}${query === "" ? "" : `?${query}`}`;
    const prefer = body === undefined ? null : "return=representation";
    const headers = prefer === null ? {} : { prefer };
    const { status, text } = await this.#send(method, `/rest/v1${path}`, { body, by, headers });
    const answer: unknown = text === "" ? null : JSON.parse(text);
    this.#exchanges.push({
      table,
      method,
      path: this.#placeholders.replaceText(path),
      prefer,
      body: this.#placeholders.replace(body ?? null),
      status,
      answer: this.#placeholders.replace(answer),
    });
    return (answer ?? []) as readonly Row[];
  }

  /** For rows that only another example needs. */
  async #insertQuietly(table: string, body: Row, by = this.#ada): Promise<readonly Row[]> {
    const headers = { prefer: "return=representation" };
    return JSON.parse((await this.#send("POST", `/rest/v1/${table}`, { body, by, headers })).text) as readonly Row[];
  }

  async #rows(path: string): Promise<readonly Row[]> {
    return (await this.#call("GET", `/rest/v1/${path}`)) as readonly Row[];
  }

  async #call(method: string, path: string, body?: unknown): Promise<unknown> {
    const { text } = await this.#send(method, path, { body, by: this.#ada });
    return JSON.parse(text) as unknown;
  }

  async #signUp(email: string, fullName: string): Promise<Caller> {
    const body = { email, password: PASSWORD, data: { full_name: fullName } };
    const { text } = await this.#send("POST", "/auth/v1/signup", { body });
    const { access_token: token, user } = JSON.parse(text) as Row;
    // Proven addresses, so that a person sees the invitations of theirs.
    const by = { token: this.#credentials.service_role_key };
    await this.#send("PUT", `/auth/v1/admin/users/${String((user as Row)["id"])}`, {
      body: { email_confirm: true },
      by,
    });
    return { token: String(token), id: String((user as Row)["id"]) };
  }

  async #send(
    method: string,
    path: string,
    { body, by, headers = {} }: Write & { readonly headers?: Readonly<Record<string, string>> },
  ): Promise<{ readonly status: number; readonly text: string }> {
    const answer = await sendRequest(new URL(path, this.#credentials.url), {
      ca: this.#ca,
      method,
      headers: {
        apikey: this.#credentials.anon_key,
        ...(by !== undefined && { authorization: `Bearer ${by.token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  }
}

function idOf(row: Row | undefined): string {
  if (typeof row?.["id"] !== "string") throw new Error("the response has no row with an id");
  return row["id"];
}

/** Has the certificate that the service made for this machine, so that the service trusts it. */
async function startReceiver(dataDir: string): Promise<{ readonly url: string; close(): void }> {
  const pem = await readFile(join(dataDir, "tls", "localhost.pem"), "utf8");
  const server = https.createServer({ key: pem, cert: pem }, (request, response) => {
    request.resume().on("end", () => response.writeHead(200).end("ok"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}/hook`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
