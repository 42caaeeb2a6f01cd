import { readFileSync } from "node:fs";
import { createClient } from "@supabase/supabase-js";

const [question = "What is a swarm?"] = process.argv.slice(2);
const credentials = readFileSync(".swarmbase/credentials.json", "utf8");
const { url, anon_key } = JSON.parse(credentials) as { readonly url: string; readonly anon_key: string };
const supabase = createClient(url, anon_key);

// Each run has an account of its own.
const email = `${crypto.randomUUID()}@example.com`;
const { error: rejection } = await supabase.auth.signUp({ email, password: "correct horse battery" });
if (rejection !== null) throw rejection;

const { data: agent } = await supabase.from("agents").insert({ name: "Guide" }).select("id").single().throwOnError();

type Answer = { data: Run; error: null } | { data: null; error: Error };
interface Run {
  readonly responses: readonly { readonly agent_name: string; readonly message: { readonly content: string } }[];
}
const body = { agent_id: agent.id as string, message: question };
const { data: run, error } = (await supabase.functions.invoke("agent-respond", { body })) as Answer;
if (run === null) throw error;
for (const { agent_name, message } of run.responses) console.log(`${agent_name}: ${message.content}`);
