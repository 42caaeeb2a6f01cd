import { defineExtension, type ExtensionRoute } from "swarmbase/extension";
import { completeChat } from "./chat.ts";
import { renderError } from "./errors.ts";
import { getModel, listModels } from "./models.ts";
import { respondTo } from "./responses.ts";
import { cancelResponse, getResponse } from "./stored-responses.ts";

/** The functions and tables that a route uses check the scopes that it needs. */
function route(method: "GET" | "POST", path: string, handler: ExtensionRoute["handler"]): ExtensionRoute {
  return { method, path, access: "bearer-alone", keyScope: "checked", limit: "api", renderError, handler };
}

export const extension = defineExtension({
  name: "openai-api",
  summary: "agents and swarms as models of an OpenAI-compatible API",
  docs: new URL("../README.md", import.meta.url),
  routes: [
    route("GET", "/v1/models", listModels),
    route("GET", "/v1/models/:model", getModel),
    route("POST", "/v1/chat/completions", completeChat),
    route("POST", "/v1/responses", respondTo),
    route("GET", "/v1/responses/:id", getResponse),
    route("POST", "/v1/responses/:id/cancel", cancelResponse),
  ],
});
