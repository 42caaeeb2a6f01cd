import type { Account, Row } from "./account.ts";

export interface FilledAccount {
  readonly swarmId: string;
  /** The credentials that the user has stored or received; they must not be in a file. */
  readonly secrets: readonly string[];
}

/** Stores rows of a user in all tables. Each text that only the user may read contains the word. */
export async function fillAccount(account: Account, word: string, hookUrl: string): Promise<FilledAccount> {
  const { key } = await account.invoke("api-keys", { action: "create", name: `${word} key`, scopes: ["read"] });
  await account.update(`user_settings?user_id=eq.${account.id}`, { preferences: { note: `${word} preference` } });
  const agentId = await account.insert("agents", { name: "Ann", system_prompt: `${word} prompt` });
  const [calculator] = (await account.call("GET", "/rest/v1/tools?name=eq.calculator&select=id")) as unknown as Row[];
  const toolId = await account.insert("tools", {
    name: "find_order",
    description: `${word} tool`,
    config: { url: "https://shop.example.com/", headers: { "x-shop": `${word}-tool-header` } },
    secrets: { token: `${word}-tool-secret` },
  });
  for (const tool_id of [calculator?.["id"], toolId])
    await account.insert("agent_tools", { agent_id: agentId, tool_id });
  const swarmId = await account.insert("swarms", { name: `${word} swarm` });
  await account.insert("swarm_agents", { swarm_id: swarmId, agent_id: agentId });

  // To the account itself, which needs none: the owner alone reads the row.
  await account.insert("agent_grants", { agent_id: agentId, audience: "user", user_id: account.id });
  const guardrail = { name: `${word} guardrail`, stage: "input", is_active: false };
  await account.insert("guardrails", { ...guardrail, agent_id: agentId, kind: "pattern", config: { pattern: "x" } });
  const hook = { url: hookUrl, headers: { "x-check": `${word}-guardrail-header` } };
  for (const owner of [{ agent_id: agentId }, { swarm_id: swarmId }])
    await account.insert("guardrails", { ...guardrail, ...owner, kind: "webhook", config: hook });

  const webhookId = await account.insert("webhooks", {
    name: `${word} webhook`,
    url: hookUrl,
    events: ["agent.deleted"],
    headers: { "x-hook": `${word}-webhook-header` },
  });
  await account.invoke("test-webhook", { webhook_id: webhookId, event_type: "agent.deleted" });
  const since = new Date(Date.now() - 3_600_000).toISOString();
  await account.invoke("webhook-dispatcher", { action: "recover_since", webhook_id: webhookId, since });

  await account.insert("event_feeds", { name: `${word} feed`, events: ["agent.deleted"] });

  const datasetId = await account.insert("eval_datasets", { name: `${word} dataset` });
  const evalCase = { name: `${word} case`, input: `${word} input`, expectation: { kind: "contains", texts: ["42"] } };
  const caseId = await account.insert("eval_cases", { ...evalCase, dataset_id: datasetId });
  const evalRun = { dataset_id: datasetId, agent_id: agentId, agent_version: 1 };
  const evalRunId = await account.insert("eval_runs", evalRun);
  const { name: case_name, ...asked } = evalCase;
  const result = { ...asked, case_name, case_id: caseId, eval_run_id: evalRunId, passed: true };
  await account.insert("eval_results", { ...result, output: `${word} output` });

  const [{ secret: webhookSecret } = {}] = (await account.call("GET", "/rest/v1/webhooks")) as unknown as Row[];
  const guardrails = (await account.call("GET", "/rest/v1/guardrails?secret=not.is.null")) as unknown as Row[];
  const named = ["tool-header", "tool-secret", "guardrail-header", "webhook-header"].map((kind) => `${word}-${kind}`);
  return { swarmId, secrets: [...named, ...[key, webhookSecret, guardrails[0]?.["secret"]].map(String)] };
}

/** Makes a user an active member of a swarm of another one. */
export async function join(owner: Account, swarmId: string, guest: Account): Promise<void> {
  await owner.insert("swarm_members", { swarm_id: swarmId, user_id: guest.id });
  await guest.update(`swarm_members?swarm_id=eq.${swarmId}&status=eq.invited`, { status: "active" });
}

/** Messages, an edit, a flag and a run with a tool call of a user in a swarm. */
export async function talk(account: Account, swarmId: string, word: string): Promise<void> {
  const messageId = await account.insert("messages", { swarm_id: swarmId, content: `${word} first` });
  await account.update(`messages?id=eq.${messageId}`, { content: `${word} edited` });
  await account.insert("message_flags", { message_id: messageId, reason: `${word} flag` });
  await account.insert("read_positions", { swarm_id: swarmId, last_read_seq: 1 });
  await account.invoke("agent-respond", {
    swarm_id: swarmId,
    message: `${word} question\n/tool calculator {"expression":"6 * 7"}`,
  });
}
