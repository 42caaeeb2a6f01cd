import type { Samples } from "../../data/samples.ts";
import { writeCurl } from "../../components/call-words.ts";

export interface Snippet {
  readonly id: string;
  readonly title: string;
  /** What it does, and what to know about it. */
  readonly text: string;
  readonly curl: string;
  readonly supabaseJs: string;
}

const NEW_AGENT = { name: "Ada", role: "Explains", system_prompt: "You explain things clearly and briefly." };
const NEW_WEBHOOK = { name: "My service", url: "https://example.com/hook", events: ["message.created"] };

/** One for each main thing to do, with ids of the reader's own where there are some. */
export function listSnippets({ agentId, swarmId }: Samples): readonly Snippet[] {
  const agent = agentId ?? "<agent id>";
  const swarm = swarmId ?? "<swarm id>";
  return [
    {
      id: "agents",
      title: "Agents",
      text: "Make one, and list those that are yours. Every table is read and written this way.",
      curl: [
        writeCurl({ method: "POST", path: "/rest/v1/agents", body: NEW_AGENT, wantsRows: true }),
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
    },
    {
      id: "swarms",
      title: "Swarms",
      text: "A swarm with an agent in it, ready to be asked.",
      curl: [
        writeCurl({ method: "POST", path: "/rest/v1/swarms", body: { name: "First swarm" }, wantsRows: true }),
        writeCurl({
          method: "POST",
          path: "/rest/v1/swarm_agents",
          body: { swarm_id: swarm, agent_id: agent },
          wantsRows: true,
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
      text: "The agents of a swarm answer. With curl the words arrive as they are written; without the Accept header the answer comes whole.",
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
      text: "New messages of a swarm, as they are written. Every table that you may read can be listened to.",
      curl: "",
      supabaseJs: `supabase
  .channel("room")
  .on(
    "postgres_changes",
    { event: "INSERT", schema: "public", table: "messages", filter: "swarm_id=eq.${swarm}" },
    ({ new: message }) => console.log(message.content),
  )
  .subscribe();`,
    },
    {
      id: "webhooks",
      title: "Webhooks",
      text: "The answer has the secret, this once. Verify each delivery with it before you believe it.",
      curl: writeCurl({ method: "POST", path: "/rest/v1/webhooks", body: NEW_WEBHOOK, wantsRows: true }),
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
    },
  ];
}

/** As a person would write it. */
function writeObject(value: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(value).map(([name, member]) => `    ${name}: ${JSON.stringify(member)},`);
  return ["{", ...lines, "  }"].join("\n");
}
