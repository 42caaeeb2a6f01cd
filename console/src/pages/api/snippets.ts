import type { Samples } from "../../data/samples.ts";
import { writeCurl } from "../../components/write-snippets.ts";

interface Snippet {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly curl: string;
  readonly supabaseJs: string;
}

const NEW_AGENT = { name: "Ada", role: "Explains", system_prompt: "You explain things clearly and briefly." };
const NEW_WEBHOOK = { name: "My service", url: "https://example.com/hook", events: ["message.created"] };

const AGENTS: Snippet = {
  id: "agents",
  title: "Agents",
  text: "Create an agent, and list your agents. All tables are read and written this way.",
  curl: [
    writeCurl({ method: "POST", path: "/rest/v1/agents", body: NEW_AGENT, returnsRows: true }),
    writeCurl({ path: "/rest/v1/agents?select=id,name,status&order=created_at.desc&limit=20" }),
  ].join("\n\n"),
  supabaseJs: `const { data: agent, error } = await supabase
  .from("agents")
  .insert(${writeObject(NEW_AGENT)})
  .select()
  .single();

const { data: agents } = await supabase
  .from("agents")
  .select("id, name, status")
  .order("created_at", { ascending: false })
  .limit(20);`,
};

const WEBHOOKS: Snippet = {
  id: "webhooks",
  title: "Webhooks",
  text: "The response contains the secret. Verify each delivery with it.",
  curl: writeCurl({ method: "POST", path: "/rest/v1/webhooks", body: NEW_WEBHOOK, returnsRows: true }),
  supabaseJs: `const { data: webhook } = await supabase
  .from("webhooks")
  .insert(${writeObject(NEW_WEBHOOK)})
  .select()
  .single();
console.log(webhook.secret);

// Where deliveries arrive:
import { verifyWebhook } from "@swarmbase/sdk";

export async function POST(request) {
  const event = await verifyWebhook(await request.text(), request.headers, process.env.WEBHOOK_SECRET);
  console.log(event.type, event.data);
  return new Response(null, { status: 204 });
}`,
};

/** Snippets with ids of the user's own rows, if there are any. */
export function listSnippets({ agentId, swarmId }: Samples): readonly Snippet[] {
  const agent = agentId ?? "<agent id>";
  const swarm = swarmId ?? "<swarm id>";
  return [
    AGENTS,
    {
      id: "swarms",
      title: "Swarms",
      text: "Create a swarm and add an agent.",
      curl: [
        writeCurl({ method: "POST", path: "/rest/v1/swarms", body: { name: "First swarm" }, returnsRows: true }),
        writeCurl({
          method: "POST",
          path: "/rest/v1/swarm_agents",
          body: { swarm_id: swarm, agent_id: agent },
          returnsRows: true,
        }),
      ].join("\n\n"),
      supabaseJs: `const { data: swarm } = await supabase
  .from("swarms")
  .insert({ name: "First swarm" })
  .select()
  .single();

await supabase
  .from("swarm_agents")
  .insert({ swarm_id: swarm.id, agent_id: "${agent}" });`,
    },
    {
      id: "ask",
      title: "Ask",
      text: "Ask the agents of a swarm. curl streams the reply; without the Accept header the response is one JSON document.",
      curl: writeCurl({
        method: "POST",
        path: "/functions/v1/agent-respond",
        body: { swarm_id: swarm, message: "What should we do first?" },
        isStreamed: true,
      }),
      supabaseJs: `const { data, error } = await supabase.functions.invoke("agent-respond", {
  body: { swarm_id: "${swarm}", message: "What should we do first?" },
});
if (error) console.error(await error.context.json());
else console.log(data);`,
    },
    {
      id: "live",
      title: "Live",
      text: "Receive new messages of a swarm. You can subscribe to all tables that you may read.",
      curl: "",
      supabaseJs: `supabase
  .channel("swarm")
  .on(
    "postgres_changes",
    { event: "INSERT", schema: "public", table: "messages", filter: "swarm_id=eq.${swarm}" },
    ({ new: message }) => console.log(message.content),
  )
  .subscribe();`,
    },
    WEBHOOKS,
  ];
}

/** An object literal, formatted for reading. */
function writeObject(value: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(value).map(([name, member]) => `    ${name}: ${JSON.stringify(member)},`);
  return ["{", ...lines, "  }"].join("\n");
}
