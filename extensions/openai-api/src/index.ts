import { defineExtension, type ExtensionRoute, lazy } from "swarmbase/extension";
import { renderError } from "./errors.ts";
import { configure, SETTINGS } from "./settings.ts";

type Route = ExtensionRoute<typeof SETTINGS>;

/** The functions and tables that a route uses check the scopes that it needs. */
function route(method: Route["method"], path: string, handler: Route["handler"]): Route {
  return { method, path, access: "bearer-alone", keyScope: "checked", limit: "api", renderError, handler };
}

export const extension = defineExtension({
  name: "openai-api",
  summary: "agents and swarms as models of an OpenAI-compatible API",
  docs: new URL("../README.md", import.meta.url),
  settings: SETTINGS,
  configure,
  routes: [
    route(
      "GET",
      "/v1/models",
      lazy(async () => (await import("./models.ts")).listModels),
    ),
    route(
      "GET",
      "/v1/models/:model",
      lazy(async () => (await import("./models.ts")).getModel),
    ),
    route(
      "POST",
      "/v1/chat/completions",
      lazy(async () => (await import("./complete-chat.ts")).completeChat),
    ),
    route(
      "POST",
      "/v1/responses",
      lazy(async () => (await import("./respond-to.ts")).respondTo),
    ),
    route(
      "GET",
      "/v1/responses/:id",
      lazy(async () => (await import("./stored-responses.ts")).getResponse),
    ),
    route(
      "POST",
      "/v1/responses/:id/cancel",
      lazy(async () => (await import("./stored-responses.ts")).cancelResponse),
    ),
    route(
      "GET",
      "/v1/responses/:id/input_items",
      lazy(async () => (await import("./stored-responses.ts")).listInputItems),
    ),
    // No function of the service counts these requests, or checks the key.
    {
      ...route(
        "POST",
        "/v1/embeddings",
        lazy(async () => (await import("./embeddings.ts")).createEmbeddings),
      ),
      keyScope: ["run"],
      limit: "ai",
    },
    route(
      "POST",
      "/v1/conversations",
      lazy(async () => (await import("./conversations.ts")).createConversation),
    ),
    route(
      "GET",
      "/v1/conversations/:id",
      lazy(async () => (await import("./conversations.ts")).getConversation),
    ),
    route(
      "POST",
      "/v1/conversations/:id",
      lazy(async () => (await import("./conversations.ts")).updateConversation),
    ),
    route(
      "DELETE",
      "/v1/conversations/:id",
      lazy(async () => (await import("./conversations.ts")).deleteConversation),
    ),
    route(
      "GET",
      "/v1/conversations/:id/items",
      lazy(async () => (await import("./conversations.ts")).listConversationItems),
    ),
    route(
      "POST",
      "/v1/conversations/:id/items",
      lazy(async () => (await import("./conversations.ts")).addConversationItems),
    ),
    route(
      "GET",
      "/v1/conversations/:id/items/:item",
      lazy(async () => (await import("./conversations.ts")).getConversationItem),
    ),
    route(
      "DELETE",
      "/v1/conversations/:id/items/:item",
      lazy(async () => (await import("./conversations.ts")).deleteConversationItem),
    ),
  ],
});
