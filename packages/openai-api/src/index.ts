import {
  defineExtension,
  type ExtensionContext,
  type ExtensionRequest,
  type ExtensionResponse,
  type ExtensionRoute,
} from "swarmbase/extension";
import { completeChat } from "./chat.ts";
import { renderError, renderFault, RequestFault } from "./errors.ts";
import { getModel, listModels } from "./models.ts";
import { respondTo } from "./responses.ts";
import { cancelResponse, getResponse } from "./stored-responses.ts";

type Handler = (request: ExtensionRequest, context: ExtensionContext) => Promise<ExtensionResponse>;

function route(method: "GET" | "POST", path: string, keyScope: "read" | "run", handle: Handler): ExtensionRoute {
  return {
    method,
    path,
    access: "bearer-alone",
    keyScope,
    limit: "api",
    renderError,
    handler: async (request, context) => {
      try {
        return await handle(request, context);
      } catch (error) {
        if (error instanceof RequestFault) return { status: error.status, body: renderFault(error) };
        throw error;
      }
    },
  };
}

export const extension = defineExtension({
  name: "openai-api",
  summary: "agents and swarms as models of an OpenAI-compatible API",
  docs: new URL("../README.md", import.meta.url),
  routes: [
    route("GET", "/v1/models", "read", listModels),
    route("GET", "/v1/models/:model", "read", getModel),
    route("POST", "/v1/chat/completions", "run", completeChat),
    route("POST", "/v1/responses", "run", respondTo),
    route("GET", "/v1/responses/:id", "read", getResponse),
    route("POST", "/v1/responses/:id/cancel", "run", cancelResponse),
  ],
});
