import { writeCurl } from "../../../components/write-snippets.ts";
import { ShowCode } from "../../../components/show-code.tsx";
import { useSwarmContext } from "./swarm-context.ts";

/** Snippets that ask the swarm and read its messages. */
export function SwarmCode() {
  const { swarm } = useSwarmContext();
  const question = { swarm_id: swarm.id, message: "Hello" };
  const curl = [
    "# ask, and stream the reply",
    writeCurl({ method: "POST", path: "/functions/v1/agent-respond", body: question, isStreamed: true }),
    "",
    "# the newest messages",
    writeCurl({ path: `/rest/v1/messages?swarm_id=eq.${swarm.id}&order=seq.desc&limit=50` }),
  ].join("\n");
  return <ShowCode title="Ask this swarm" curl={curl} supabaseJs={writeScript(swarm.id)} variant="quiet" />;
}

function writeScript(swarmId: string): string {
  return `const { data: run } = await supabase.functions.invoke("agent-respond", {
  body: { swarm_id: "${swarmId}", message: "Hello" },
});
console.log(run.responses.map(({ message }) => message.content));

const { data: messages } = await supabase
  .from("messages")
  .select()
  .eq("swarm_id", "${swarmId}")
  .order("seq", { ascending: false })
  .limit(50);`;
}
