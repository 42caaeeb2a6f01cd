import type { Client, RequestId } from "@modelcontextprotocol/client";
import type { ToolResponse } from "swarmbase/extension";

/** Answers a question of the server; `params` as the server sent them. */
type Asker = (id: RequestId, params: unknown) => Promise<ToolResponse>;

const askers = new WeakMap<Client, Asker>();

/** The call that has the client for itself gets the questions of the server. */
export function setAsker(client: Client, asker: Asker): void {
  askers.set(client, asker);
}

export function clearAsker(client: Client): void {
  askers.delete(client);
}

/** Registers the handler of questions. Without an asker nobody can answer. */
export function answerQuestions(client: Client): void {
  client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
    const asker = askers.get(client);
    if (asker === undefined) throw new Error("Nobody can answer questions of this call");
    const response = await asker(mcpReq.id, params);
    return response as { action: "accept"; content: Record<string, string> };
  });
}
