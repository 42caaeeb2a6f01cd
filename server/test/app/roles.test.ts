import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "@supabase/supabase-js";
import { Agent, fetch } from "undici";
import { readFile } from "node:fs/promises";
import { createTestDatabase } from "../support/database.ts";
import { startServiceHere } from "../support/service-here.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

test("nodes follow their ROLES: one accepts requests, another one runs them", async (t) => {
  const closers: (() => Promise<void>)[] = [];
  const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
  t.after(async () => {
    for (const close of closers) await close();
  });
  const { adminUrl, masterKey } = await createTestDatabase(cleanup);
  const start = async (roles: string) =>
    startServiceHere(cleanup, {
      dataDir: await createTemporaryFolder(cleanup, "swarmbase-roles-"),
      env: { DATABASE_URL: adminUrl, MASTER_KEY: masterKey, ROLES: roles },
    });
  const front = await start("api");
  const { url, anon_key: anonKey, ca_cert_file: caFile } = front.credentials;
  const agent = new Agent({ connect: { ca: await readFile(caFile ?? "", "utf8") } });
  cleanup.after(() => agent.close());
  const supabase = createClient(url, anonKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { fetch: ((input: string, init: object) => fetch(input, { ...init, dispatcher: agent })) as never },
  });
  const { error } = await supabase.auth.signUp({ email: "ada@example.com", password: "correct horse" });
  assert.equal(error, null);
  const { data: swarm } = await supabase.from("swarms").insert({ name: "Room" }).select().single();
  const { data: speaker } = await supabase.from("agents").insert({ name: "Ada" }).select().single();
  await supabase.from("swarm_agents").insert({ swarm_id: swarm.id, agent_id: speaker.id });
  const ask = (message: string) =>
    supabase.functions.invoke("agent-respond", { body: { swarm_id: swarm.id, message, background: true } });

  const asked = await ask("Is anybody there?");
  assert.equal(asked.data?.status, "queued", "nobody on this node answers");
  const upgrade = await fetch(`${url}/realtime/v1/websocket?apikey=${anonKey}`, {
    dispatcher: agent,
    headers: { connection: "upgrade", upgrade: "websocket" },
  }).catch(() => null);
  assert.notEqual(upgrade?.status, 101);

  const back = await start("worker");
  const there = new Agent({ connect: { ca: await readFile(back.credentials.ca_cert_file ?? "", "utf8") } });
  cleanup.after(() => there.close());
  const rejected = await fetch(`${back.credentials.url}/rest/v1/agents`, {
    dispatcher: there,
    headers: { apikey: anonKey },
  });
  assert.equal(rejected.status, 404);
  assert.equal((await fetch(`${back.credentials.url}/ready`, { dispatcher: there })).status, 200);

  const run = await supabase.functions.invoke("agent-respond", {
    body: { action: "attach", run_id: asked.data.run_id, stream: false },
  });
  assert.equal(run.data?.status, "completed");
  assert.match(run.data?.responses[0].message.content, /^\[simulated\] /);
});
