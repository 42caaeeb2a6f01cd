import type { Agent } from "../../data/agents.ts";
import { writeCurl } from "../../components/write-snippets.ts";
import { ShowCode } from "../../components/show-code.tsx";

/** Snippets that read the agent, update it and subscribe to its status. */
export function AgentCode({ agent }: { readonly agent: Agent }) {
  const id = agent.id;
  const settings = { ...agent.settings, temperature: agent.settings.temperature ?? 0.7 };
  const curl = [
    "# the agent with its tools",
    writeCurl({ path: `/rest/v1/agents?id=eq.${id}&select=*,agent_tools(enabled,configuration,tool(*))` }),
    "",
    "# settings are replaced as a whole",
    writeCurl({ method: "PATCH", path: `/rest/v1/agents?id=eq.${id}`, body: { settings }, returnsRows: true }),
  ].join("\n");
  const supabaseJs = `// the agent with its tools
const { data: agent } = await supabase
  .from("agents")
  .select("*, agent_tools(enabled, configuration, tool(*))")
  .eq("id", ${JSON.stringify(id)})
  .single();

// settings are replaced as a whole
await supabase
  .from("agents")
  .update({ settings: { ...agent.settings, temperature: ${settings.temperature} } })
  .eq("id", agent.id);

// its status, as it changes
supabase
  .channel("agent")
  .on(
    "postgres_changes",
    { event: "UPDATE", schema: "public", table: "agents", filter: \`id=eq.\${agent.id}\` },
    (change) => console.log(change.new.status),
  )
  .subscribe();`;
  return <ShowCode title={`${agent.name} from code`} curl={curl} supabaseJs={supabaseJs} />;
}
