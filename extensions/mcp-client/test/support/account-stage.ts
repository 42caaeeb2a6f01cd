import type { TestContext } from "node:test";
import {
  type ModelCall,
  type ModelEvent,
  type RunNode,
  type RunStage,
  type TestTools,
} from "../../../../server/test/support/tool-stage.ts";
import { until } from "../../../../server/test/support/until.ts";
import type { OperatorClients } from "../../src/oauth/operator-clients.ts";
import { openToolsForTest } from "./open-tools.ts";

const USAGE = { inputTokens: 10, cachedInputTokens: 0, outputTokens: 5, reasoningTokens: 0, isEstimated: false };

/** Calls the tool, as often at once as its message says, and then repeats the results. */
async function* model({ framework, messages }: ModelCall): AsyncGenerator<ModelEvent> {
  yield { type: "start", framework, model: "scripted", attempt: 1 };
  const results = messages.flatMap((message) => (message.role === "tool" ? [message.output] : []));
  const count = messages.some(({ role, ...rest }) => role === "user" && JSON.stringify(rest).includes("twice")) ? 2 : 1;
  if (results.length > 0) yield { type: "text", delta: results.join("\n") };
  else
    for (let call = 0; call < count; call += 1)
      yield { type: "tool_call", call: { id: `c${call}`, name: "whoami", inputText: "{}" } };
  yield { type: "finish", reason: results.length > 0 ? "stop" : "tool_calls", usage: USAGE };
}

interface PendingCall {
  readonly tool_execution_id: string;
  readonly question?: {
    readonly id: string;
    readonly kind: string;
    readonly url: string;
    readonly server: unknown;
    readonly message: string;
  };
}

export interface Asked {
  readonly runId: string;
  readonly personId: string;
  /** The calls that wait, as somebody sees them. Default: the person. */
  pending(viewerId?: string): Promise<readonly PendingCall[]>;
  /** Waits until the run asks the person to connect an account. */
  waiting(): Promise<Required<PendingCall>>;
  decide(decision: object): Promise<unknown>;
  /** The text of the agent. */
  end(): Promise<string>;
}

export interface AccountAgent {
  readonly agentId: string;
  readonly ownerId: string;
  setConfig(config: object): Promise<void>;
  /** Has a person ask the agent, in a conversation of their own. The node is new unless it is given. */
  ask(
    personId: string,
    options?: {
      readonly node?: RunNode;
      readonly message?: string;
      readonly memberIds?: readonly string[];
      /** Of the API key that asks for the person. */
      readonly scopes?: readonly string[];
    },
  ): Promise<Asked>;
}

/** Another node, with its own sessions and tools. */
export function openAccountNode(
  t: TestContext,
  stage: RunStage,
  options: { readonly clients?: OperatorClients; readonly clock?: { now(): Date } } = {},
): { readonly tools: TestTools; readonly node: RunNode } {
  const clock = options.clock ?? { now: () => new Date() };
  const tools = openToolsForTest(t, { pool: stage.pool, clock, ...(options.clients && { clients: options.clients }) });
  return { tools, node: stage.node({ script: model, tools: { run: tools.runAsking } }) };
}

/** An agent that everybody may ask, with a tool of the app that acts for the person who asks. */
export async function newAccountAgent(
  stage: RunStage,
  open: () => RunNode,
  { kind, config }: { readonly kind: "mcp" | "http"; readonly config: object },
): Promise<AccountAgent> {
  const ownerId = await stage.newUser();
  const agentId = await stage.newAgent(ownerId, "Ada");
  const toolId = await stage.newTool(agentId, "whoami", { kind });
  const setConfig = async (next: object): Promise<void> => {
    await stage.rows("update public.tools set config = $2, is_vouched = true where id = $1", [toolId, next]);
  };
  await setConfig(config);
  await stage.rows("update public.agent_tools set is_vouched = true where tool_id = $1", [toolId]);
  await stage.rows("update public.agents set acts_for_askers = true where id = $1", [agentId]);
  await stage.rows("insert into public.agent_grants (agent_id, audience) values ($1, 'everyone')", [agentId]);
  return {
    agentId,
    ownerId,
    setConfig,
    async ask(personId, { node = open(), message = "who am I?", memberIds = [], scopes } = {}) {
      const swarm = await stage.newSwarm({ agents: [], ownerId: personId });
      const insert = "insert into public.swarm_agents (swarm_id, agent_id) values ($1, $2)";
      await stage.rows(insert, [swarm.swarmId, agentId]);
      const runId = await stage.ask(swarm, message);
      for (const memberId of memberIds) {
        const join =
          "insert into public.swarm_members (swarm_id, user_id, role, status) values ($1, $2, 'admin', 'active')";
        await stage.rows(join, [swarm.swarmId, memberId]);
      }
      if (scopes !== undefined)
        await stage.rows(
          `with session as (insert into auth.sessions (user_id, api_key_hash) values ($1, gen_random_uuid()::text::bytea)
             returning id),
           key as (insert into public.api_keys (id, user_id, name, scopes, prefix) select id, $1, 'key', $3, 'sk_'
             from session returning id)
           update private.run_leases set api_key_id = key.id from key where run_id = $2`,
          [personId, runId, scopes],
        );
      await node.take(runId);
      return createAsked(stage, open, { runId, personId });
    },
  };
}

function createAsked(
  stage: RunStage,
  open: () => RunNode,
  { runId, personId }: { readonly runId: string; readonly personId: string },
): Asked {
  const pending = async (viewerId = personId): Promise<readonly PendingCall[]> => {
    const [row] = await stage.rows<{ body: { pending_approvals: PendingCall[] | null } }>(
      "select private.render_run($1, $2) as body",
      [runId, viewerId],
    );
    return row?.body.pending_approvals ?? [];
  };
  return {
    runId,
    personId,
    pending,
    async waiting() {
      await until(async () => (await stage.run(runId)).status !== "running", "the run waits or has ended");
      const [call] = await pending();
      if (call?.question?.kind === "connect") return { ...call, question: call.question };
      throw new Error(`the run does not ask for an account: ${JSON.stringify(await stage.texts(runId))}`);
    },
    async decide(decision) {
      const decisions = [{ tool_execution_id: (await pending())[0]?.tool_execution_id, ...decision }];
      const call = { run_id: runId, user_id: personId, is_service: false, decisions };
      return stage.sql.query("select private.decide_tool_executions($1)", [JSON.stringify(call)]);
    },
    async end() {
      const node = open();
      if ((await stage.run(runId)).status === "requires_action") node.start();
      await stage.end(runId);
      // It would claim the next run.
      await node.stop();
      return (await stage.texts(runId))[0]?.content ?? "";
    },
  };
}
