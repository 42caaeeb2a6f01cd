import { acceptedContent, inputRequired, inputResponse, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

const ORDER = z.object({
  size: z.enum(["small", "large"]),
  count: z.number().int(),
  note: z.string().optional(),
  gift: z.boolean(),
});

/** An MCP server with a tool that asks a person about an order before it orders. */
export function createAskingServer(): McpServer {
  const server = new McpServer({ name: "shop", version: "1" });
  server.registerTool("order", { description: "Orders", inputSchema: z.object({}) }, async (_input, { mcpReq }) => {
    const { inputResponses: responses } = mcpReq;
    const { kind } = inputResponse(responses, "order");
    if (kind === "missing")
      return inputRequired({
        inputRequests: { order: inputRequired.elicit({ message: "What is ordered?", requestedSchema: ORDER }) },
      });
    const text = JSON.stringify(acceptedContent(responses, "order", ORDER) ?? kind);
    return { content: [{ type: "text", text: `Answer: ${text}` }] };
  });
  return server;
}
