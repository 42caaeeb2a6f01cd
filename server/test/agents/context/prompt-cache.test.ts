import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { answerPerson, isSummary, PROMPT, say, secondsAfter } from "../../support/providers/cache-conversation.ts";
import {
  type CachedCall,
  type CacheServer,
  type CachingVendor,
  openCacheServer,
} from "../../support/providers/cache-server.ts";
import { type ExtendedService, type Parsed, startExtendedService, type User } from "../../support/extended-service.ts";
import { WITHOUT_LIMITS } from "../../support/without-limits.ts";

const TURNS = 200;
const MIN_SHARE = 0.8;
const OUTPUT_TOKENS = 7;
/** USD for a million tokens. */
const PRICES = {
  openai: { input: 0.4, cached: 0.1, written: 0.4, output: 1.6 },
  anthropic: { input: 1, cached: 0.1, written: 1.25, output: 5 },
} as const;
const FRAMEWORKS = { openai: "provider_a", anthropic: "provider_b" } as const;

const closers: (() => Promise<unknown>)[] = [];
const cleanup = { after: (close: () => Promise<unknown>) => void closers.unshift(close) };
let provider: CacheServer;
let service: ExtendedService;
let sql: pg.Client;

before(async () => {
  provider = await openCacheServer(cleanup, answerPerson);
  service = await startExtendedService(cleanup, {
    ...WITHOUT_LIMITS,
    PROVIDER_A_KIND: "openai",
    PROVIDER_A_BASE_URL: provider.url,
    PROVIDER_A_API_KEY: "key",
    PROVIDER_B_KIND: "anthropic",
    PROVIDER_B_BASE_URL: provider.url,
    PROVIDER_B_API_KEY: "key",
  });
  sql = new pg.Client(service.databaseUrl);
  await sql.connect();
  cleanup.after(() => sql.end());
});
after(async () => {
  for (const close of closers) await close();
});

async function addConversation(user: User, vendor: CachingVendor): Promise<string> {
  const { id: agentId } = await user.insert("agents", {
    name: "Ada",
    framework: FRAMEWORKS[vendor],
    system_prompt: PROMPT,
  });
  const [tool] = await user.send("GET", "/rest/v1/tools?name=eq.calculator&select=id");
  await user.insert("agent_tools", { agent_id: agentId, tool_id: tool.id });
  const { id: swarmId } = await user.insert("swarms", { name: "Long" });
  await user.insert("swarm_agents", { swarm_id: swarmId, agent_id: agentId, position: 0 });
  return swarmId;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** What the vendor reads, in its order: tools, system prompt, messages. Without marks, which are no part of it. */
function readPrompt({ tools, system = [], messages }: Parsed): string {
  return [...tools, ...system, ...messages]
    .map((part) => JSON.stringify(part, (key, value: unknown) => (key === "cache_control" ? undefined : value)))
    .join("\n");
}

for (const vendor of ["openai", "anthropic"] as const)
  describe(`a conversation of ${TURNS} turns with the cache of ${vendor}`, { timeout: 300_000 }, () => {
    let user: User;
    let swarmId = "";
    /** The calls of each turn. */
    const turns: (readonly CachedCall[])[] = [];
    const usage: Parsed[] = [];

    const ask = (message: string, status = 200): Promise<Parsed> =>
      user.send("POST", "/functions/v1/agent-respond", { swarm_id: swarmId, message }, status);
    const countAll = (): { input: number; cached: number; written: number; output: number } => {
      const calls = provider.calls[vendor];
      const of = (key: "input" | "cached" | "written"): number => sum(calls.map((call) => call[key]));
      return { input: of("input"), cached: of("cached"), written: of("written"), output: calls.length * OUTPUT_TOKENS };
    };
    const priceOf = ({ input, cached, written, output }: ReturnType<typeof countAll>): number => {
      const price = PRICES[vendor];
      const fresh = (input - cached - written) * price.input;
      return (fresh + cached * price.cached + written * price.written + output * price.output) / 1e6;
    };

    before(async () => {
      user = await service.signUp(vendor);
      swarmId = await addConversation(user, vendor);
      for (let turn = 1; turn <= TURNS; turn += 1) {
        const before = provider.calls[vendor].length;
        const answer = await ask(say(turn, "person"));
        assert.equal(answer.status, "completed", JSON.stringify(answer));
        usage.push(answer.usage);
        turns.push(provider.calls[vendor].slice(before));
        provider.pass(secondsAfter(turn));
      }
    });

    test("has prompts that begin with the same bytes, except after a summary", () => {
      const first = turns.map((calls) => calls.find(({ body }) => !isSummary(body))?.body);
      const heads = new Set(first.map(({ tools, system, messages }) => JSON.stringify([tools, system ?? messages[0]])));
      assert.equal(heads.size, 1);
      const prompts = first.map(readPrompt);
      const changed = prompts.flatMap((prompt, turn) =>
        turn > 0 && !prompt.startsWith(prompts[turn - 1] ?? "") ? [turn] : [],
      );
      const summarised = turns.flatMap((calls, turn) => (calls.some(({ body }) => isSummary(body)) ? [turn] : []));
      assert.deepEqual(changed, summarised);
      assert.ok(changed.length > 0 && changed.length < TURNS / 10, String(changed.length));
    });

    test(`reads at least ${MIN_SHARE} of its input from the cache, in answers, records, traces and prices`, async () => {
      const { input, cached, output } = countAll();
      const expected = { input, cached, output, cost: priceOf(countAll()).toFixed(6) };
      assert.ok(cached / input >= MIN_SHARE, `the share is ${cached / input}`);
      const total = (key: string): number => sum(usage.map((one) => one[key]));
      assert.deepEqual(
        {
          input: total("input_tokens"),
          cached: total("cached_input_tokens"),
          output: total("output_tokens"),
          cost: total("cost_usd").toFixed(6),
        },
        expected,
      );
      for (const table of ["run_turns", "model_calls", "usage_records"]) {
        const { rows } = await sql.query(
          `select sum(input_tokens)::int as input, sum(cached_input_tokens)::int as cached,
             sum(output_tokens)::int as output, round(sum(cost_usd), 6)::text as cost
           from public.${table} where swarm_id = $1`,
          [swarmId],
        );
        assert.deepEqual(rows, [expected], table);
      }
    });

    test("spends a budget as its cached input costs", async () => {
      const { input, output } = countAll();
      const spent = priceOf(countAll());
      const limit = (max_cost_usd_per_day: number): Promise<Parsed> =>
        user.send("PATCH", `/rest/v1/swarms?id=eq.${swarmId}`, { settings: { budget: { max_cost_usd_per_day } } });
      await limit(spent);
      assert.equal((await ask("More?", 403)).code, "BUDGET_EXCEEDED");
      // Without the cache, more than this would be spent.
      await limit((spent + priceOf({ input, cached: 0, written: 0, output })) / 2);
      assert.equal((await ask("More?")).status, "completed");
    });
  });
