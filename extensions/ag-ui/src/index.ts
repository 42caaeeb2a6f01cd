// In charge of: runs as AG-UI events, and as UI message streams of the AI SDK.
// Not in charge of: runs and their streams, which it translates.
import {
  defineExtension,
  type ExtensionContext,
  type ExtensionRequest,
  type ExtensionResponse,
  lazy,
} from "swarmbase/extension";
import type { Target } from "./target.ts";

type Answer = (request: ExtensionRequest, target: Target, context: ExtensionContext) => Promise<ExtensionResponse>;

const COMMON = {
  access: "bearer-alone",
  keyScope: "checked",
  limit: "api",
  renderError: ({ code, message, details }: { code: string; message: string; details: unknown }) => ({
    body: { type: "RUN_ERROR", code, message, ...(details !== null && { details }) },
  }),
} as const;

function defineRoute(method: "GET" | "POST", path: string, toTarget: (id: string) => Target, answer: Answer) {
  return {
    ...COMMON,
    method,
    path,
    handler: (request: ExtensionRequest, context: ExtensionContext) =>
      answer(request, toTarget(request.params["id"] ?? ""), context),
  } as const;
}

const listAgents = lazy(async () => (await import("./list-agents.ts")).listAgents);
const runAgent = lazy(async () => (await import("./run-agent.ts")).runAgent);
const answerChat = lazy(async () => (await import("./answer-chat.ts")).answerChat);
const reconnectChat = lazy(async () => (await import("./answer-chat.ts")).reconnectChat);
const toAgent = (id: string): Target => ({ agent_id: id });
const toSwarm = (id: string): Target => ({ swarm_id: id });

export const extension = defineExtension({
  name: "ag-ui",
  summary: "runs as AG-UI events, and as message streams of the AI SDK",
  docs: new URL("../README.md", import.meta.url),
  routes: [
    { ...COMMON, method: "GET", path: "/ag-ui/agents", handler: listAgents },
    defineRoute("POST", "/ag-ui/agents/:id", toAgent, runAgent),
    defineRoute("POST", "/ag-ui/swarms/:id", toSwarm, runAgent),
    defineRoute("POST", "/ai-sdk/agents/:id", toAgent, answerChat),
    defineRoute("POST", "/ai-sdk/swarms/:id", toSwarm, answerChat),
    defineRoute("GET", "/ai-sdk/agents/:id/:chat/stream", toAgent, reconnectChat),
    defineRoute("GET", "/ai-sdk/swarms/:id/:chat/stream", toSwarm, reconnectChat),
  ],
});
