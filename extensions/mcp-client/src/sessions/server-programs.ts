import type { Transport } from "@modelcontextprotocol/client";
import { AppError, ToolFailure } from "swarmbase/extension";
import type { McpServer, McpServers } from "../load-mcp-servers.ts";

interface ServerProgramsOptions {
  readonly servers: McpServers;
  /** The delay before the second start of a program that failed; it doubles with each further failure. */
  readonly firstDelayMs?: number;
  /** Called when a program could not be started or ended by itself, with the number of failures in a row. */
  onEnded(server: string, failures: number): void;
}

interface Failures {
  readonly count: number;
  readonly retryAtMs: number;
}

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;
/** A program that runs for so long and then ends is started again without a further delay. */
const STABLE_MS = 60_000;
const MAX_MESSAGE_BYTES = 8_000_000;

/** The programs of the operator that are MCP servers. Each runs at most once on a node; the pool of connections decides when. */
export class ServerPrograms {
  readonly #options: ServerProgramsOptions;
  readonly #failures = new Map<string, Failures>();

  constructor(options: ServerProgramsOptions) {
    this.#options = options;
  }

  /** Throws an error for the caller when a tool of this owner cannot use the server. */
  require(name: string, ownerId: string | null): McpServer {
    const server = this.#options.servers.get(name);
    if (server === undefined)
      throw new AppError("VALIDATION_ERROR", "There is no such MCP server", {
        details: { server: "names no MCP server of this service" },
      });
    if (ownerId !== null && !server.isForUsers)
      throw new AppError("FORBIDDEN", "This MCP server is reserved for tools of the operator");
    return server;
  }

  /** Rejects without a start while a program that failed is being given time. */
  async createTransport({ name, command, args, env, cwd }: McpServer): Promise<Transport> {
    const waitMs = (this.#failures.get(name)?.retryAtMs ?? 0) - performance.now();
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1_000);
      const message = `The MCP server ${name} has failed, and is started again in ${seconds} s.`;
      throw new ToolFailure("TOOL_UNREACHABLE", message, { isRetryable: true });
    }
    const { DEFAULT_INHERITED_ENV_VARS, StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
    // The package adds variables of this process, unless they are set.
    const unset = Object.fromEntries(DEFAULT_INHERITED_ENV_VARS.map((variable) => [variable, undefined]));
    return new StdioClientTransport({
      command,
      args: [...args],
      env: { ...unset, ...env } as Record<string, string>,
      ...(cwd !== null && { cwd }),
      stderr: "ignore",
      maxBufferSize: MAX_MESSAGE_BYTES,
    });
  }

  /** Notes that a program could not be started, or ended by itself after some time. */
  noteEnd({ name }: McpServer, livedMs: number): void {
    const before = livedMs >= STABLE_MS ? 0 : (this.#failures.get(name)?.count ?? 0);
    const count = before + 1;
    const delayMs = Math.min(MAX_DELAY_MS, (this.#options.firstDelayMs ?? FIRST_DELAY_MS) * 2 ** before);
    this.#failures.set(name, { count, retryAtMs: performance.now() + delayMs });
    this.#options.onEnded(name, count);
  }
}
