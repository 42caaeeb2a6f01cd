import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { loadSettings } from "../../../src/config/index.ts";
import { AppError, renderError } from "../../../src/errors/index.ts";
import { supervise } from "../../../src/jobs/index.ts";
import type { Observer } from "../../../src/observe/index.ts";
import { ANON_PRINCIPAL, SERVICE_PRINCIPAL, type UserPrincipal } from "../../../src/db/index.ts";
import type { Changes } from "../../../src/realtime/changes.ts";
import {
  type AuthenticatedPrincipal,
  type Authenticate,
  openRealtime,
  type PrivateTopics,
  type RealtimeOptions,
  type RealtimeModule,
} from "../../../src/realtime/index.ts";
import type { Clock } from "../../../src/time/index.ts";
import { createSettableClock } from "../../auth/support/settable-clock.ts";
import type { Cleanup } from "../../support/database.ts";
import { silentObserver } from "../../support/silent-observer.ts";

export interface Stage {
  readonly url: string;
  readonly module: RealtimeModule;
  /** As a node that crashes: nothing is said, sockets break. */
  kill(): Promise<void>;
}

export interface StageOptions {
  readonly changes: Changes;
  readonly authenticate?: Authenticate;
  readonly privateTopics?: PrivateTopics;
  readonly followedTopics?: RealtimeOptions["followedTopics"];
  readonly settings?: Partial<RealtimeOptions["settings"]>;
  readonly timing?: RealtimeOptions["timing"];
  readonly clock?: Clock;
  readonly observer?: Observer;
  readonly addressOf?: NonNullable<RealtimeOptions["addressOf"]>;
}

/** One node: the realtime module behind a plain HTTP server. */
export async function openStage(t: Cleanup, options: StageOptions): Promise<Stage> {
  const authenticate = options.authenticate ?? createTokens().authenticate;
  const module = openRealtime({
    changes: options.changes,
    authenticate,
    privateTopics: options.privateTopics ?? closedTopics,
    followedTopics: options.followedTopics ?? unfollowedTopics,
    settings: { ...loadSettings({}), ...options.settings },
    observer: options.observer ?? silentObserver,
    ...(options.addressOf && { addressOf: options.addressOf }),
    clock: options.clock ?? createSettableClock(),
    newId: randomUUID,
    ...(options.timing && { timing: options.timing }),
  });
  const server = createServer((request, response) => {
    answer(module, authenticate, request).then(
      () => response.writeHead(202).end(),
      (error: unknown) => {
        const { status, headers, body } = renderError(error);
        response.writeHead(status, headers).end(body);
      },
    );
  });
  server.on("upgrade", (request, socket, head) => module.handleUpgrade(request, socket, head));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const working = new AbortController();
  const supervised = supervise(module.workers, { signal: working.signal, observer: silentObserver });

  let isOver = false;
  const stop = async (end: () => Promise<unknown>): Promise<void> => {
    if (isOver) return;
    isOver = true;
    working.abort();
    await supervised;
    await end();
    server.closeAllConnections();
    server.close();
  };
  t.after(() => stop(() => module.close()));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, module, kill: () => stop(async () => {}) };
}

async function answer(module: RealtimeModule, authenticate: Authenticate, request: IncomingMessage): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const url = new URL(request.url ?? "", "http://localhost");
  const token = request.headers.authorization?.slice("Bearer ".length) ?? null;
  const { principal } = await authenticate(token, String(request.headers["apikey"] ?? url.searchParams.get("apikey")));
  const named = /^\/realtime\/v1\/api\/broadcast\/([^/]+)\/events\/([^/]+)$/.exec(url.pathname);
  if (named === null) {
    await module.broadcast.sendMessages({ principal, body: JSON.parse(body.toString()) as unknown });
    return;
  }
  const [, topic = "", event = ""] = named.map(decodeURIComponent);
  await module.broadcast.sendEvent({
    principal,
    topic,
    event,
    query: Object.fromEntries(url.searchParams),
    isBinary: request.headers["content-type"] === "application/octet-stream",
    body,
  });
}

const unfollowedTopics: RealtimeOptions["followedTopics"] = {
  write: async () => {},
  findTransactionBounds: async () => ({ oldest: 1n, next: 1n }),
};

/** Denies all access to private channels. */
export const closedTopics: PrivateTopics = {
  findReadable: async () => new Set(),
  canWrite: async () => false,
  checkAll: async (checks) => checks.map(() => ({ readable: new Set(), writable: new Set() })),
  store: async () => {
    throw new AppError("FORBIDDEN", "closed");
  },
  replay: async () => [],
};

export interface Tokens {
  readonly authenticate: Authenticate;
  set(token: string, admission: Partial<AuthenticatedPrincipal>): void;
  drop(token: string): void;
}

/** Tokens that the test makes up. The keys are `anon` and `service`. */
export function createTokens(): Tokens {
  const admissions = new Map<string, AuthenticatedPrincipal>([
    ["anon", { principal: ANON_PRINCIPAL, expiresAt: null }],
    ["service", { principal: SERVICE_PRINCIPAL, expiresAt: null }],
  ]);
  return {
    authenticate: async (token, apikey) => {
      if (!admissions.has(apikey)) throw new AppError("UNAUTHORIZED", "Invalid API key");
      const admission = admissions.get(token ?? apikey);
      if (admission === undefined) throw new AppError("UNAUTHORIZED", "InvalidJWTToken: the token is not good");
      return admission;
    },
    set: (token, admission) => admissions.set(token, { principal: userOf(token), expiresAt: null, ...admission }),
    drop: (token) => admissions.delete(token),
  };
}

/** A user whose id and session are named after the token. */
export function userOf(name: string): UserPrincipal {
  return {
    role: "authenticated",
    userId: `user-${name}`,
    claims: { role: "authenticated", sub: `user-${name}` },
    session: { userId: `user-${name}`, sessionId: `session-${name}`, inactivitySeconds: 0 },
  };
}
