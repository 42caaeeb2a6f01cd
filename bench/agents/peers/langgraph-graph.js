// The graph that LangGraph's server serves: one node that asks the provider, without a client library between them.
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";

async function respond({ messages }) {
  const answer = await fetch(process.env.PROVIDER_URL, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      model: "bench",
      messages: messages.map((message) => ({
        role: message.getType() === "human" ? "user" : "assistant",
        content: message.content,
      })),
    }),
  });
  const { choices } = await answer.json();
  return { messages: [{ role: "assistant", content: choices[0].message.content }] };
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode("respond", respond)
  .addEdge(START, "respond")
  .addEdge("respond", END)
  .compile();
