import {
  AppError,
  defineExtension,
  type ExtensionContext,
  type ExtensionErrorResponse,
  type ExtensionRequest,
  type ExtensionResponse,
  type ExtensionRoute,
} from "swarmbase/extension";

const PATH = "/mcp";
/** The codes that JSON-RPC defines; the code of the service is in `data`. */
const JSON_RPC_SERVER_ERROR = -32_000;
const JSON_RPC_INTERNAL_ERROR = -32_603;

const renderError: NonNullable<ExtensionRoute["renderError"]> = (
  { status, code, message, details, retryAfterSeconds },
  { headers },
): ExtensionErrorResponse => ({
  headers: {
    ...(status === 401 && {
      "www-authenticate": `Bearer realm="mcp"${headers["authorization"] === undefined ? "" : ', error="invalid_token"'}`,
    }),
  },
  body: {
    jsonrpc: "2.0",
    id: null,
    error: {
      code: status >= 500 ? JSON_RPC_INTERNAL_ERROR : JSON_RPC_SERVER_ERROR,
      message,
      data: { code, details, ...(retryAfterSeconds !== null && { retry_after_seconds: retryAfterSeconds }) },
    },
  },
});

async function handler(request: ExtensionRequest, context: ExtensionContext): Promise<ExtensionResponse> {
  const { origin } = request.headers;
  // A page of another site must not reach the service with the credentials of a client on the same machine.
  if (origin !== undefined && !context.ownOrigins().includes(origin))
    throw new AppError("FORBIDDEN", "Requests of other origins are not accepted");
  // Loaded with the first request, so that the start of the service does not wait for the library.
  const { serveRequest } = await import("./serve-request.ts");
  return serveRequest(request, context, `${context.baseUrl()}${PATH}`);
}

/** GET and DELETE belong to sessions, which this server does not have: the library answers them with 405. */
const routes = (["POST", "GET", "DELETE"] as const).map((method): ExtensionRoute => {
  // Every tool requires its own scope.
  return {
    method,
    path: PATH,
    access: "bearer-alone",
    keyScope: "checked",
    resource: PATH,
    limit: "api",
    isBodyRaw: true,
    renderError,
    handler,
  };
});

export const extension = defineExtension({
  name: "mcp-server",
  summary: "agents and swarms as tools of an MCP server",
  docs: new URL("../README.md", import.meta.url),
  routes,
  commands: [
    {
      name: "mcp",
      summary: "serve tools for coding agents on the standard streams",
      help: `
Usage: swarmbase mcp [--allow-writes]

A server of the Model Context Protocol for a coding agent, which starts it and talks to it on the standard input and output. Its
tools describe the schema, run SQL, plan and apply migrations and files of agents, run evals, read logs and failing
deliveries, and search the documentation. It ends with its input. It serves one service: that of this data directory, or the
one that the variables of \`sql\` and \`plan\` name.

--allow-writes  permits what changes something: SQL other than queries, push_migrations, apply, run_eval.`,
      run: async (context) => (await import("./dev/run-mcp.ts")).runMcp(context),
    },
  ],
});
