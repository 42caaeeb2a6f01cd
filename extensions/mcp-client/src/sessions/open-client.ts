import type {
  Client,
  FetchLike,
  JsonSchemaValidator,
  jsonSchemaValidator,
  Transport,
} from "@modelcontextprotocol/client";
import { type AccountTokens, type ToolAccount, ToolFailure } from "swarmbase/extension";
import { NotAuthorized } from "../oauth/token-source.ts";
import { answerQuestions } from "../questions/asker.ts";
import type { HeldCall } from "../questions/held-call.ts";
import { createBoundedFetch, type Fetch } from "./bounded-fetch.ts";
import type { McpTarget, ProgramTarget, RemoteTarget } from "./mcp-target.ts";
import type { ServerPrograms } from "./server-programs.ts";
import { silenceClient, skipOutputSchemas } from "./silence-client.ts";

export interface ClientOptions {
  /** Applies the address policy. */
  readonly fetch: Fetch;
  readonly version: string;
  /** Programs of the operator. */
  readonly programs: ServerPrograms;
  /** Called with the number of tools that were excluded because their declaration violates the protocol. */
  onExcluded(count: number): void;
}

/** How a client is opened: no signal of a caller, because several calls wait for the same session. */
interface Opening {
  /** Of the pool. */
  readonly signal: AbortSignal;
  /** Called when a program ends. */
  onEnd(): void;
  readonly resumption?: Resumption;
}

/** A session that another connection has opened. */
export type Resumption = NonNullable<HeldCall["resumption"]>;

const MAX_PAGES = 20;
const CONNECT_TIMEOUT_MS = 30_000;
/** The start of a program can take long. */
const START_TIMEOUT_MS = 60_000;
/** How long the list of a program's tools is kept, unless the program announces a change. */
const LIST_TTL_MS = 3_600_000;
/** Nothing is validated by schemas of servers. Given, so that the package does not load a validator. */
const ACCEPT_ALL: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (value) => ({ valid: true, data: value as T, errorMessage: undefined });
  },
};

/** Of each client, the newest last. */
const sentTokens = new WeakMap<Client, readonly string[]>();
/** More than the calls that share a client use at the same time. */
const MAX_SENT_TOKENS = 20;

/** The access tokens that the client has sent lately. */
export function listSentTokens(client: Client): readonly string[] {
  return sentTokens.get(client) ?? [];
}

/** Connects to a server, or starts a program. */
export function openClient(options: ClientOptions, target: McpTarget, opening: Opening): Promise<Client> {
  return "server" in target ? startProgram(options, target, opening) : connectRemote(options, target, opening);
}

/**
 * Only of a program that announces changes: its notifications arrive with its answers. A remote server may send them on a
 * connection that breaks.
 */
export function canCacheList(client: Client, target: McpTarget): boolean {
  return "server" in target && client.getServerCapabilities()?.tools?.listChanged === true;
}

async function startProgram(
  options: ClientOptions,
  { ownerId, server: name }: ProgramTarget,
  { signal, onEnd }: Opening,
): Promise<Client> {
  const { programs } = options;
  const server = programs.require(name, ownerId);
  const transport = await programs.createTransport(server);
  const startedAtMs = performance.now();
  const client = await createClient(options, { mode: "legacy", canAsk: server.canAsk });
  try {
    await connectClient(client, transport, signal, START_TIMEOUT_MS);
  } catch (cause) {
    if (!signal.aborted) programs.noteEnd(server, 0);
    throw new ToolFailure("TOOL_UNREACHABLE", `The MCP server ${name} could not be started.`, { cause });
  }
  let isClosedByUs = false;
  const close = client.close.bind(client);
  client.close = () => {
    isClosedByUs = true;
    return close();
  };
  client.onclose = () => {
    if (!isClosedByUs) programs.noteEnd(server, performance.now() - startedAtMs);
    onEnd();
  };
  return client;
}

async function connectRemote(
  options: ClientOptions,
  { url, headers, tokens, account }: RemoteTarget,
  { signal, resumption }: Opening,
): Promise<Client> {
  // Imported on demand: it would take a large part of the start-up time, and most nodes never need it.
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const bounded = createBoundedFetch(options.fetch);
  const client = await createClient(options, { mode: resumption === undefined ? "auto" : "legacy", canAsk: true });
  const noteToken = (token: string): void => {
    const others = listSentTokens(client).filter((sent) => sent !== token);
    sentTokens.set(client, [...others, token].slice(-MAX_SENT_TOKENS));
  };
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: tokens === null ? bounded : withTokens(bounded, { tokens, account }, noteToken),
    requestInit: { headers },
    ...(resumption !== undefined && { sessionId: resumption.sessionId, protocolVersion: resumption.version }),
    // Of the stream on which some servers ask, and of one whose messages the server repeats.
    reconnectionOptions: {
      maxRetries: 2,
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 1_000,
      reconnectionDelayGrowFactor: 1,
    },
  });
  await connectClient(client, transport, signal, CONNECT_TIMEOUT_MS);
  // A handshake would open the stream on which some servers ask. The server may refuse a second one.
  if (resumption !== undefined) await transport.resumeStream("").catch(() => {});
  return client;
}

/** Here and not in the package: it does not tell which token the server has rejected. */
function withTokens(
  fetchFn: FetchLike,
  { tokens, account }: { readonly tokens: AccountTokens; readonly account: ToolAccount | undefined },
  onSend: (token: string) => void,
): FetchLike {
  const send = async (url: string | URL, init: RequestInit, isRepeated: boolean): Promise<Response> => {
    const { token, version } = await tokens.take();
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${token}`);
    onSend(token);
    const response = await fetchFn(url, { ...init, headers });
    if (response.status !== 401 || (isRepeated && account !== "asker")) return response;
    // Frees the connection: the renewal may need one to the same server, and many calls may wait for it.
    await response.body?.cancel();
    if (isRepeated) throw new NotAuthorized("TOOL_UNUSABLE", "The server does not accept the account.");
    await tokens.renew(version);
    return send(url, init, true);
  };
  return (url, init = {}) => send(url, init, false);
}

/** `legacy` for programs: to find their revision, the package would start each of them twice, and all of them speak the older one. */
async function createClient(
  { version, onExcluded }: ClientOptions,
  { mode, canAsk }: { readonly mode: "auto" | "legacy"; readonly canAsk: boolean },
): Promise<Client> {
  const { Client } = await import("@modelcontextprotocol/client");
  const client = new Client(
    { name: "swarmbase", version },
    {
      versionNegotiation: { mode },
      jsonSchemaValidator: ACCEPT_ALL,
      listMaxPages: MAX_PAGES,
      defaultCacheTtlMs: LIST_TTL_MS,
      ...(canAsk && { capabilities: { elicitation: { form: {} } } }),
    },
  );
  if (canAsk) answerQuestions(client);
  // The call that fails reports the error.
  client.onerror = () => {};
  silenceClient(client, onExcluded);
  skipOutputSchemas(client);
  return client;
}

async function connectClient(
  client: Client,
  transport: Transport,
  closing: AbortSignal,
  timeoutMs: number,
): Promise<void> {
  try {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(timeoutMs)]);
    await client.connect(transport, { signal, timeout: timeoutMs });
  } catch (error) {
    await client.close().catch(() => {});
    throw error;
  }
}
