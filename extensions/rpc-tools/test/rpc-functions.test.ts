import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Parsed } from "../../../server/test/support/extended-service.ts";
import { until } from "../../../server/test/support/until.ts";
import { type Customer, openShop, type Shop, type ToolUse } from "./support/shop.ts";

const closers: (() => Promise<void>)[] = [];
let shop: Shop;
let ann: Customer;
before(async () => {
  shop = await openShop(closers);
  ann = await shop.newCustomer("ann");
});
after(async () => {
  for (const close of closers) await close();
});

const ask = (name: string, input: object): object => ({
  agent_id: shop.agentId,
  message: `/tool ${name} ${JSON.stringify(input)}`,
});

describe("a function that", () => {
  let tools = 0;
  const newTool = async (config: object, more?: object): Promise<string> => {
    const name = `tool_${(tools += 1)}`;
    await shop.newTool(name, config, more);
    return name;
  };
  const use = async (config: object, input: object = {}, more?: object): Promise<ToolUse> =>
    shop.use(ask(await newTool(config, more), input), ann.token);
  const countOrders = async (): Promise<number> => {
    const { rows } = await shop.sql.query<{ count: number }>("select count(*)::int from public.orders");
    return rows[0]?.count ?? 0;
  };

  test("is security definer does what the app made it for", async () => {
    await shop.sql.query("insert into public.orders (customer, item) values ($1, 'ink')", [shop.owner.id]);
    const { output } = await use({ function: "count_all_orders" });
    assert.equal(output, String(await countOrders()));
  });

  test("writes without `writes` fails, whatever its rights", async () => {
    const before = await countOrders();
    for (const name of ["add_order", "add_for_all"]) {
      const { error } = await use({ function: name }, { item: "x" });
      assert.equal(error?.code, "TOOL_FAILED");
      assert.match(error?.message ?? "", /may only read: cannot execute INSERT in a read-only transaction/);
    }
    assert.equal(await countOrders(), before);
  });

  for (const name of ["execute", "execute_as_owner"])
    test(`tries to leave its read-only transaction does not (${name})`, async () => {
      const insert = "insert into public.orders (item) values ('x')";
      const state = async (): Promise<unknown> => {
        const { rows } = await shop.sql.query(
          `select (select count(*) from public.orders) as orders, (select is_called from public.numbers) as is_called,
             (select count(*) from pg_largeobject_metadata) as objects`,
        );
        return rows;
      };
      const before = await state();
      const tool = await newTool({ function: name });
      for (const statement of [
        `select set_config('transaction_read_only', 'off', true); ${insert}`,
        `set transaction read write; ${insert}`,
        `set session characteristics as transaction read write; ${insert}`,
        `do $do$ begin begin set local transaction_read_only = off; exception when others then null; end; ${insert}; end $do$`,
        "commit",
        "call public.commits()",
        "select nextval('public.numbers')",
        "select setval('public.numbers', 5)",
        "select lo_create(0)",
        "select lo_from_bytea(0, 'x')",
        "create temp table escaped (id int)",
        "copy public.orders from program 'true'",
      ]) {
        const { status, error } = await shop.use(ask(tool, { statement }), ann.token);
        assert.deepEqual([status, error?.code], ["failed", "TOOL_FAILED"], statement);
      }
      assert.deepEqual(await state(), before);
    });

  test("takes a lock of its session does not hold it after the call", async () => {
    const { output } = await use({ function: "execute" }, { statement: "select pg_advisory_lock(4711)" });
    assert.equal(output, '"escaped"');
    const held = "select 1 from pg_locks where locktype = 'advisory' and objid = 4711";
    await until(async () => (await shop.sql.query(held)).rows.length === 0, "the lock is free");
  });

  test("tries to end its time limit does not", async () => {
    for (const statement of ["set statement_timeout = 0", "select set_config('statement_timeout', '0', true)"]) {
      const { error } = await use({ function: "wait_on" }, { statement });
      assert.match(error?.message ?? "", /statement timeout/);
    }
  });

  test("sleeps ends by the statement timeout, or before by that of the tool", async () => {
    const slept = await use({ function: "wait_for" }, { seconds: 600 });
    assert.deepEqual([slept.status, slept.error?.code], ["failed", "TOOL_FAILED"]);
    assert.match(slept.error?.message ?? "", /statement timeout/);
    const cut = await use({ function: "wait_for" }, { seconds: 600 }, { timeout_ms: 1000 });
    assert.deepEqual([cut.status, cut.error?.code], ["timed_out", "TOOL_TIMED_OUT"]);
    await until(async () => {
      const { rows } = await shop.sql.query(
        "select 1 from pg_stat_activity where query like '%wait_for%' and state = 'active' and pid <> pg_backend_pid()",
      );
      return rows.length === 0;
    });
  });

  test("returns 100 MB fails, with and without `writes`", async () => {
    for (const writes of [false, true]) {
      const { error } = await use({ function: "much", writes }, {}, { timeout_ms: 120_000 });
      assert.match(error?.message ?? "", /larger than/);
      assert.equal(error?.code, "TOOL_FAILED");
    }
  });

  test("returns more than the tool may show is cut", async () => {
    const { output } = await use({ function: "changing" }, { name: "y".repeat(5_000) }, { max_output_chars: 200 });
    assert.equal(output.length, 200);
    assert.match(output, /\[truncated, 5002 characters in all\]$/);
  });

  test("raises an error tells its message alone", async () => {
    const { error } = await use({ function: "refuse" });
    assert.equal(error?.message, "out of stock");
    assert.doesNotMatch(JSON.stringify(error), /CANARY/);
  });

  test("sets an error status has failed", async () => {
    const { error } = await use({ function: "answer_status" });
    assert.equal(error?.message, "The function answered with the status 404.");
  });

  test("returns nothing, or a number of many digits, is shown to the model as JSON", async () => {
    const shown = async (config: object, input: object): Promise<string> => {
      const body = ask(await newTool(config), input);
      const run = await ann.send("POST", "/functions/v1/agent-respond", body);
      return run.responses[0].message.content;
    };
    assert.match(await shown({ function: "exact" }, {}), / returned: 12345678901234567890\.5 /);
    assert.match(await shown({ function: "add_order", writes: true }, { item: "tea" }), / returned: null /);
  });

  test("changes its arguments, loses its grant or is dropped after the tool was stored is not called", async () => {
    const [changing, granted, dropped] = [
      await newTool({ function: "changing" }),
      await newTool({ function: "granted" }),
      await newTool({ function: "answer_status" }),
    ];
    await shop.change(`drop function public.changing; drop function public.answer_status;
      create function public.changing(other text) returns text language sql as 'select other';
      revoke execute on function public.granted from public, anon, authenticated`);
    const cases: readonly [string, object, RegExp][] = [
      [changing, { name: "x" }, /public\.changing has no argument name: the input_schema/],
      [granted, {}, /public\.granted, which is not a function .* that users may execute/],
      [dropped, {}, /public\.answer_status, which is not a function .* that users may execute/],
    ];
    for (const [name, input, reason] of cases) {
      const { status, error } = await shop.use(ask(name, input), ann.token);
      assert.equal(status, "failed");
      assert.match(error?.message ?? "", reason);
    }
  });

  test("is the service's own is not called, also when SQL has stored the tool", async () => {
    for (const config of [{ function: "restore_agent_version" }, { function: "new_id", schema: "private" }]) {
      const name = await newTool({ function: "count_orders" });
      await shop.sql.query("update public.tools set config = $2 where name = $1", [name, JSON.stringify(config)]);
      const { error } = await shop.use(ask(name, {}), ann.token);
      assert.equal(error?.code, "TOOL_UNUSABLE");
      assert.match(error?.message ?? "", /is not a function of the app/);
    }
  });
});

describe("when a tool is stored", () => {
  const row = { name: "stored", description: "A tool.", kind: "rpc" };
  const faultsOf = async (config: object): Promise<Parsed> => {
    const { details } = await ann.send("POST", "/rest/v1/tools", { ...row, config }, 400);
    const { config: _whole, ...faults } = details;
    return faults;
  };

  test("its configuration must name one function of the app that JSON can call", async () => {
    const cases = {
      restore_agent_version: /not a function of the app/,
      tool: /not a function of the app/,
      nowhere: /is not a function in an exposed schema/,
      procedure: /is not a function in an exposed schema/,
      on_change: /is not a function in an exposed schema/,
      for_operators: /that users may execute/,
      take_unnamed: /with named arguments/,
      take_record: /takes a record for taken/,
      take_many: /takes any number of values for taken/,
      take_any: /takes a value of any type for taken/,
      twice: /has 2 definitions/,
    };
    for (const [name, reason] of Object.entries(cases))
      assert.match((await faultsOf({ function: name }))["config.function"] ?? "", reason, name);
    for (const schema of ["private", "auth", "ext_notes", "pg_catalog"])
      assert.match((await faultsOf({ function: "f", schema }))["config.function"], /not a function of the app/);
    assert.match((await faultsOf({ function: "f", schema: "hidden" }))["config.function"], /in an exposed schema/);
    assert.deepEqual(Object.keys(await faultsOf({ function: "", schema: 1, writes: "yes", other: 1 })), [
      "config.function",
      "config.schema",
      "config.writes",
      "config.other",
    ]);
    const update = { config: { function: "tool" } };
    const { id } = await ann.insert("tools", { ...row, config: { function: "count_orders" } });
    await ann.send("PATCH", `/rest/v1/tools?id=eq.${id}`, update, 400);
  });

  test("the function may have been made the moment before", async () => {
    for (const [index, name] of ["made_now", "made_then"].entries()) {
      await shop.sql.query(`create function public.${name}(word text) returns text language sql as 'select word';
        comment on function public.${name} is 'Says the word.'`);
      const config = { function: name };
      const made = await ann.insert("tools", { kind: "rpc", name, config });
      assert.deepEqual([made.description, Object.keys(made.input_schema.properties)], ["Says the word.", ["word"]]);
      const other = `changed_${index}`;
      await shop.sql.query(`create function public.${other}() returns int language sql as 'select 1'`);
      await ann.send("PATCH", `/rest/v1/tools?id=eq.${made.id}`, { config: { function: other } }, 200);
    }
  });

  test("the function gives the schema of its input and the description, unless the row has them", async () => {
    const config = { function: "list_orders" };
    const derived = {
      type: "object",
      properties: { since: { type: "integer", description: "the number of the last known order" } },
      required: [],
      additionalProperties: false,
    };
    const own = { type: "object", properties: { since: { const: 5 } } };
    const described = { description: "Finds orders.", input_schema: own };
    const made = await ann.insert("tools", { kind: "rpc", name: "derived", config });
    assert.deepEqual([made.input_schema, made.description], [derived, "Lists the orders of the customer."]);
    const kept = await ann.insert("tools", { kind: "rpc", name: "kept", config, ...described });
    assert.deepEqual([kept.input_schema, kept.description], [own, "Finds orders."]);
    const { details } = await ann.send(
      "POST",
      "/rest/v1/tools",
      { kind: "rpc", name: "lacking", config: { function: "count_orders" } },
      400,
    );
    assert.deepEqual(details, { description: "is required" });

    const http = { kind: "http", name: "http", description: "B", config: { url: "https://shop.example.com/" } };
    const rpc = { kind: "rpc", name: "rpc", description: "A", config };
    const rows = await ann.send("POST", "/rest/v1/tools", [rpc, http], 201);
    assert.deepEqual(
      rows.map(({ input_schema }: Parsed) => input_schema),
      [derived, { type: "object", properties: {} }],
    );
  });

  test("every type of an argument has a schema that its values fit", async () => {
    await shop.newTool("types", { function: "all_types" });
    const [{ input_schema: schema }] = await shop.send("GET", "/rest/v1/tools?name=eq.types&select=input_schema");
    assert.deepEqual(schema.properties, {
      flag: { type: "boolean" },
      whole: { type: "integer" },
      amount: { type: "number" },
      id: { type: "string", format: "uuid" },
      day: { type: "string", format: "date" },
      at: { type: "string", format: "date-time" },
      local: { type: "string", description: "timestamp without time zone" },
      size: { type: "string", enum: ["small", "large"] },
      tags: { type: "array", items: { type: "string" } },
      counts: { type: "array", items: { type: "integer" } },
      sizes: { type: "array", items: { type: "string" } },
      extra: {},
      note: { type: "string" },
    });
    assert.equal(schema.required.includes("note"), false);
    assert.equal(schema.required.length, 12);
    const input = {
      flag: true,
      whole: 1,
      amount: 1.5,
      id: ann.id,
      day: "2026-11-18",
      at: "2026-11-18T10:00:00Z",
      local: "2026-11-18T10:00:00",
      size: "small",
      tags: ["a", "b"],
      counts: [1, 2],
      sizes: ["large"],
      extra: { deep: [1] },
    };
    const { output } = await shop.use(ask("types", input), ann.token);
    assert.equal(
      JSON.parse(output),
      `t 1 1.5 ${ann.id} 2026-11-18 2026-11-18 10:00:00 small {a,b} {1,2} {large} {"deep": [1]} `,
    );
    const { error } = await shop.use(ask("types", { ...input, whole: "x" }), ann.token);
    assert.equal(error?.code, "INVALID_TOOL_INPUT");
  });
});
