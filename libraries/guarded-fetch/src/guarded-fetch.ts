import { Agent, type buildConnector, type Dispatcher, fetch, Headers, type RequestInit, type Response } from "undici";
import { type ConnectorOptions, openConnector } from "./connection/guarded-connector.ts";
import { OutboundError } from "./outbound-result.ts";
import { checkTargetUrl, type TargetCheck } from "./target-url.ts";

interface GuardedFetchOptions extends ConnectorOptions {
  /** URLs from the configuration: their origins may have any address and may use plain HTTP. */
  readonly exemptUrls: readonly string[];
  /** How long a response may send nothing; 0: any time. Default: five minutes. */
  readonly idleTimeoutMs?: number;
}

export interface GuardedFetch {
  /** Like the global fetch, but redirects are errors and the response must be uncompressed. */
  fetch(input: string | URL, init?: RequestInit): Promise<Response>;
  /** Returns why fetch would reject this URL without connecting; null when it would not. */
  findUrlFault(text: string): string | null;
  /** For libraries that send their own requests. It does not follow redirects. */
  readonly dispatcher: Dispatcher;
  close(): Promise<void>;
}

const IDLE_TIMEOUT_MS = 300_000;

/** For long streamed responses; the caller sets deadlines by signal. */
export function openGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { policy, connectionsPerOrigin, exemptUrls, idleTimeoutMs = IDLE_TIMEOUT_MS } = options;
  const exemptOrigins = new Set(exemptUrls.map((url) => new URL(url).origin));
  const { connect: connectGuarded, connectAnywhere, close: closeConnector } = openConnector(options);
  const agent = new Agent({
    connections: connectionsPerOrigin,
    bodyTimeout: idleTimeoutMs,
    allowH2: false,
    connect: (to, callback) => {
      if (exemptOrigins.has(originOf(to))) connectAnywhere(to, callback);
      else connectGuarded(to, callback);
    },
  });
  const checkTarget = (text: string): TargetCheck => {
    const url = URL.parse(text);
    return url !== null && exemptOrigins.has(url.origin) ? { ok: true, url } : checkTargetUrl(text, policy, options);
  };
  const requireTarget = (text: string): URL => {
    const target = checkTarget(text);
    if (target.ok) return target.url;
    throw new OutboundError(target.fault, target.reason);
  };
  const dispatcher = agent.compose((dispatch) => (request, handler) => {
    const { origin = "", path } = request;
    const target = requireTarget(`${origin.toString().replace(/\/$/, "")}${path}`);
    return dispatch({ ...request, origin: target.origin }, handler);
  });

  return {
    dispatcher,
    findUrlFault(text) {
      const target = checkTarget(text);
      return target.ok ? null : target.reason;
    },
    async fetch(input, init = {}) {
      // Here as well, because fetch rejects some URLs for reasons of its own before the dispatcher gets them.
      const target = requireTarget(String(input));
      const headers = new Headers(init.headers);
      headers.set("accept-encoding", "identity");
      const response = await fetch(target, { ...init, headers, dispatcher, redirect: "error" });
      const encoding = response.headers.get("content-encoding") ?? "identity";
      if (encoding === "identity") return response;
      // Decompressed, the response could be a thousand times its size.
      await response.body?.cancel();
      throw new OutboundError("protocol", "The response is compressed, although the request did not accept that.");
    },
    async close() {
      closeConnector();
      await agent.destroy();
    },
  };
}

function originOf({ protocol, hostname, port }: buildConnector.Options): string {
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  return new URL(`${protocol}//${host}${port === "" ? "" : `:${port}`}`).origin;
}
