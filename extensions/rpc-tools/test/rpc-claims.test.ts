import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Customer, openShop, type Shop } from "./support/shop.ts";

const closers: (() => Promise<void>)[] = [];
let shop: Shop;
let ann: Customer;
before(async () => {
  shop = await openShop(closers, {
    AUTH_HOOK_CUSTOM_ACCESS_TOKEN_URI: "pg-functions://postgres/hooks/claims",
    // The shop has people before it has the function.
    AUTH_HOOK_CUSTOM_ACCESS_TOKEN_ON_FAILURE: "continue",
  });
  await shop.sql.query(`
    create schema hooks;
    grant usage on schema hooks to sb_hook;
    create function hooks.claims(event jsonb) returns jsonb language sql immutable
      return jsonb_build_object('claims', event -> 'claims' || '{"tenant": "acme"}');
    grant execute on function hooks.claims(jsonb) to sb_hook`);
  await shop.change(`
    create table public.branches (tenant text);
    insert into public.branches values ('acme'), ('other');
    alter table public.branches enable row level security;
    grant select on public.branches to authenticated;
    create policy own_branches on public.branches to authenticated using (tenant = auth.jwt() ->> 'tenant');
    create function public.list_branches() returns setof public.branches language sql stable
      as 'select * from public.branches';
    grant execute on function public.list_branches() to authenticated`);
  ann = await shop.newCustomer("ann");
});
after(async () => {
  for (const close of closers) await close();
});

test("row-level rules see the claims of the hook, in requests and in tools that act for the person", async () => {
  assert.deepEqual(await shop.send("GET", "/rest/v1/branches", undefined, 200, ann.token), [{ tenant: "acme" }]);
  await shop.newTool("branches", { function: "list_branches" });
  const body = { agent_id: shop.agentId, message: "/tool branches {}" };
  assert.deepEqual((await shop.use(body, ann.token)).output, [{ tenant: "acme" }]);
});

test("an API key and the tools of its runs have no claims of the hook", async () => {
  const key = await ann.makeKey(["read", "run"]);
  assert.deepEqual(await shop.send("GET", "/rest/v1/branches", undefined, 200, key), []);
  const body = { agent_id: shop.agentId, message: "/tool branches {}" };
  assert.deepEqual((await shop.use(body, key)).output, []);
});

test("a tool does not run for a person whose claims the hook refuses", async () => {
  await shop.sql.query(`
    create or replace function hooks.claims(event jsonb) returns jsonb language sql immutable
      return '{"error": {"http_code": 403, "message": "Not any more"}}'::jsonb`);
  const body = { agent_id: shop.agentId, message: "/tool branches {}" };
  const { status, error } = await shop.use(body, ann.token);
  assert.deepEqual([status, error?.code], ["failed", "TOOL_UNUSABLE"]);
});

test("operators see the hook and how it has failed", async () => {
  const { hooks } = await shop.send("GET", "/auth/v1/admin/hooks");
  const [{ failures, ...hook }, ...others] = hooks;
  assert.deepEqual(others, []);
  const expected = { name: "custom_access_token", kind: "sql", target: "hooks.claims", policy: "continue" };
  assert.deepEqual(hook, { ...expected, timeout_ms: 5000 });
  assert.equal(failures[0].reason, "SQLSTATE 3F000");
});
