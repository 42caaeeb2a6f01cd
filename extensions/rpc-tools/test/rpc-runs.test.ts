import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Parsed } from "../../../server/test/support/extended-service.ts";
import { until } from "../../../server/test/support/until.ts";
import { type Customer, openShop, type Shop } from "./support/shop.ts";

const closers: (() => Promise<void>)[] = [];
let shop: Shop;
before(async () => {
  shop = await openShop(closers);
});
after(async () => {
  for (const close of closers) await close();
});

const messageFor = (name: string, input: object = {}): string => `/tool ${name} ${JSON.stringify(input)}`;
const ask = (name: string, input?: object): object => ({ agent_id: shop.agentId, message: messageFor(name, input) });

async function order(customer: Customer, item: string): Promise<void> {
  await shop.sql.query("insert into public.orders (customer, item) values ($1, $2)", [customer.id, item]);
}

async function ordersOf(customer: Customer): Promise<readonly string[]> {
  const { rows } = await shop.sql.query<{ item: string }>(
    "select item from public.orders where customer = $1 order by id",
    [customer.id],
  );
  return rows.map(({ item }) => item);
}

describe("as the person who asks", () => {
  let ann: Customer;
  let ben: Customer;
  before(async () => {
    [ann, ben] = [await shop.newCustomer("ann"), await shop.newCustomer("ben")];
    await order(ann, "tea");
    await order(ben, "milk");
    await order(shop.owner, "ink");
    await shop.newTool("orders", { function: "list_orders" });
    await shop.newTool("count", { function: "count_orders" });
    await shop.newTool("add", { function: "add_order", writes: true });
  });

  test("everybody sees the own rows alone", async () => {
    for (const [customer, item] of [
      [ann, "tea"],
      [ben, "milk"],
      [shop.owner, "ink"],
    ] as const) {
      const { output } = await shop.use(ask("orders"), customer.token);
      assert.deepEqual(output, [{ item }]);
    }
  });

  /** Reads and writes with a token or key, or as the app for a user. */
  async function useBoth(customer: Customer, token: string | undefined): Promise<readonly string[]> {
    const stored = await ordersOf(customer);
    const more = token === undefined ? { user_id: customer.id } : {};
    const read = await shop.use({ ...ask("count"), ...more }, token);
    if (read.status === "succeeded") assert.equal(read.output, String(stored.length));
    const written = await shop.use({ ...ask("add", { item: "more" }), ...more }, token);
    const isStored = written.status === "succeeded";
    assert.deepEqual(await ordersOf(customer), [...stored, ...(isStored ? ["more"] : [])]);
    return [read, written].map(({ status, error }) => error?.message ?? status);
  }

  test("with the rights of a token, and of the app that names a user", async () => {
    for (const customer of [ann, shop.owner])
      for (const token of [customer.token, undefined])
        assert.deepEqual(await useBoth(customer, token), ["succeeded", "succeeded"]);
  });

  test("with the scopes of an API key", async () => {
    const lacks = (scope: string): string => `The API key lacks the scope ${scope}`;
    const cases = [
      [["run"], [lacks("read"), lacks("write")]],
      [
        ["run", "read"],
        ["succeeded", lacks("write")],
      ],
      [
        ["run", "write"],
        [lacks("read"), lacks("read")],
      ],
      [
        ["run", "share", "read"],
        ["succeeded", lacks("write")],
      ],
      [
        ["run", "read", "write"],
        ["succeeded", "succeeded"],
      ],
    ] as const;
    for (const [scopes, expected] of cases)
      assert.deepEqual(await useBoth(ben, await ben.makeKey(scopes)), expected, scopes.join());
  });

  test("not with an API key that is bound to resources", async () => {
    const resources = { agents: [shop.agentId] };
    const { key } = await shop.owner.send(
      "POST",
      "/functions/v1/api-keys",
      { action: "create", name: "bound", scopes: ["run", "read", "write"], resources },
      201,
    );
    for (const outcome of await useBoth(shop.owner, key)) assert.match(outcome, /An API key cannot make this call/);
  });

  describe("in a swarm with several people", () => {
    let swarmId: string;
    before(async () => {
      ({ id: swarmId } = await shop.owner.insert("swarms", { name: "Shop" }));
      await shop.owner.insert("swarm_agents", { swarm_id: swarmId, agent_id: shop.agentId });
      const add =
        "insert into public.swarm_members (swarm_id, user_id, role, status) values ($1, $2, 'member', 'active')";
      for (const { id } of [ann, ben]) await shop.sql.query(add, [swarmId, id]);
    });

    const start = (call: object, token?: string): Promise<Parsed> =>
      shop.send("POST", "/functions/v1/agent-respond", { swarm_id: swarmId, ...call }, 202, token);
    const ordersOfAll = async (people: readonly Customer[]): Promise<(readonly string[])[]> => {
      const all = [];
      for (const person of people) all.push(await ordersOf(person));
      return all;
    };

    const callers = {
      "a member": async () => ({ starter: ann, token: ann.token }),
      "another member": async () => ({ starter: ben, token: ben.token }),
      "the owner of swarm and agent": async () => ({ starter: shop.owner, token: shop.owner.token }),
      "an API key of a member": async () => ({ starter: ann, token: await ann.makeKey(["run", "read", "write"]) }),
      "the app for a member": async () => ({ starter: ann, token: undefined }),
    };
    const calls = { reads: ["orders", {}], writes: ["add", { item: "shared" }] } as const;
    for (const [title, open] of Object.entries(callers))
      for (const [does, [name, input]] of Object.entries(calls))
        test(`${title} starts a call that ${does}: the starter alone approves it, is acted for and reads it`, async () => {
          const { starter, token } = await open();
          const others = [shop.owner, ann, ben].filter((person) => person !== starter);
          const [own = [], ...ofOthers] = await ordersOfAll([starter, ...others]);
          const call = { message: messageFor(name, input), ...(token === undefined && { user_id: starter.id }) };
          const { run_id: runId, pending_approvals: pending } = await start(call, token);
          const decisions = [{ tool_execution_id: pending[0].tool_execution_id, approved: true }];
          const decision = { action: "approve", run_id: runId, decisions };
          for (const other of others) await other.send("POST", "/functions/v1/agent-respond", decision, 403);
          assert.deepEqual(await ordersOfAll([starter, ...others]), [own, ...ofOthers]);
          await starter.send("POST", "/functions/v1/agent-respond", decision);
          await until(async () => (await shop.useOf(runId)).status === "succeeded");
          const added = does === "writes" ? ["shared"] : [];
          assert.deepEqual(await ordersOfAll([starter, ...others]), [[...own, ...added], ...ofOthers]);
          const payloads = `/rest/v1/tool_execution_payloads?tool_execution_id=eq.${decisions[0]?.tool_execution_id}&select=input,output`;
          const [payload, ...more] = await starter.send("GET", payloads);
          assert.deepEqual([payload.input, more], [input, []]);
          if (does === "reads")
            assert.deepEqual(
              payload.output,
              own.map((item) => ({ item })),
            );
          for (const other of others) assert.deepEqual(await other.send("GET", payloads), []);
        });

    test("nothing is called for a member who is banned after the approval", async () => {
      const { run_id: runId, pending_approvals: pending } = await start({ message: messageFor("count") }, ann.token);
      const decision = {
        run_id: runId,
        user_id: ann.id,
        is_service: false,
        decisions: [{ tool_execution_id: pending[0].tool_execution_id, approved: true }],
      };
      await shop.sql.query("begin");
      await shop.sql.query("update auth.users set banned_until = now() + interval '1 day' where id = $1", [ann.id]);
      await shop.sql.query("select private.decide_tool_executions($1)", [JSON.stringify(decision)]);
      await shop.sql.query("commit");
      await until(async () => (await shop.useOf(runId)).status === "cancelled");
      const [run] = await shop.send("GET", `/rest/v1/runs?id=eq.${runId}&select=status,error`);
      assert.deepEqual([run.status, run.error.code], ["cancelled", "FORBIDDEN"]);
      const { output, error } = await shop.useOf(runId);
      assert.deepEqual([output, error], [null, null]);
    });
  });
});

test("a test of a tool is a call as its owner; the app alone is nobody", async () => {
  const cara = await shop.newCustomer("cara");
  await order(cara, "salt");
  const own = await cara.insert("tools", { name: "mine", kind: "rpc", config: { function: "list_orders" } });
  const call = { action: "test", tool_id: own.id, input: {} };
  const { output } = await cara.send("POST", "/functions/v1/tools", call);
  assert.deepEqual(output, [{ item: "salt" }]);
  const toolId = await shop.newTool("of_nobody", { function: "list_orders" });
  const { error } = await shop.send("POST", "/functions/v1/tools", { ...call, tool_id: toolId });
  assert.deepEqual(
    [error.code, error.message],
    ["TOOL_UNUSABLE", "The tool acts for the person who asks, and nobody has asked."],
  );
});
