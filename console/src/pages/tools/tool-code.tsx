import type { Tool } from "../../data/tools.ts";
import { writeCurl } from "../../components/write-snippets.ts";
import { ShowCode } from "../../components/show-code.tsx";
import { readArguments } from "./arguments.ts";

/** Snippets that call the tool and assign it to an agent. */
export function ToolCode({ tool }: { readonly tool: Tool }) {
  const input = Object.fromEntries(
    readArguments(tool.input_schema)
      .filter(({ isRequired }) => isRequired)
      .map(({ name }) => [name, "…"]),
  );
  const test = { action: "test", tool_id: tool.id, input };
  const assignment = { agent_id: "<agent id>", tool_id: tool.id, enabled: true, configuration: {} };
  const curl = [
    "# one real call",
    writeCurl({ method: "POST", path: "/functions/v1/tools", body: test }),
    "",
    "# assign it to an agent",
    writeCurl({ method: "POST", path: "/rest/v1/agent_tools", body: assignment, returnsRows: true }),
  ].join("\n");
  const supabaseJs = `// one real call
const { data: outcome } = await supabase.functions.invoke("tools", {
  body: ${JSON.stringify(test, null, 2).replaceAll("\n", "\n  ")},
});
console.log(outcome.success, outcome.output);

// assign it to an agent
await supabase.from("agent_tools").insert({
  agent_id: agentId,
  tool_id: ${JSON.stringify(tool.id)},
  enabled: true,
  configuration: {},
});`;
  return <ShowCode title={`${tool.name} from code`} curl={curl} supabaseJs={supabaseJs} />;
}
