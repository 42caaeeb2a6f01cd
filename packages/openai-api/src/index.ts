import { defineExtension, type ExtensionRoute } from "swarmbase/extension";
import { completeChat } from "./chat.ts";
import { renderError } from "./errors.ts";
import { getModel, listModels } from "./models.ts";
import { respondTo } from "./responses.ts";
import { cancelResponse, getResponse } from "./stored-responses.ts";

function route(
  method: "GET" | "POST",
  path: string,
  keyScope: "read" | "run",
  handler: ExtensionRoute["handler"],
): ExtensionRoute {
  return { method, path, access: "bearer-alone", keyScope, limit: "api", renderError, handler };
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
