import { writeCurl } from "../../../components/call-words.ts";
import { ShowCode } from "../../../components/show-code.tsx";
import { useRoom } from "./room-context.ts";

/** What the page does here, as calls that anybody can make. */
export function RoomCode() {
  const { swarm } = useRoom();
  const question = { swarm_id: swarm.id, message: "Hello" };
  const curl = [
    "# ask, and hear the answer as it comes",
    writeCurl({ method: "POST", path: "/functions/v1/agent-respond", body: question, isStreamed: true }),
    "",
    "# what was said last",
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
