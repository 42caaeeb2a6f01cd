import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { parse } from "node:querystring";
import type { Authentication, VerifiedSignatures } from "../auth/index.ts";
import type { Settings } from "../config/index.ts";
import type { AppError } from "../errors/index.ts";
import type { RateLimitState, WindowName } from "../limits/index.ts";

/** What replaces the parts of an error response. Other headers of the error stay. */
interface RouteError {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Renders errors in the form of another protocol. */
export type ErrorForm = (error: AppError, request: Pick<RouteRequest, "id" | "headers">) => RouteError;

/** A request target can be absolute, as for a proxy. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/** A request on its way through the stages, each of which adds what it has found. */
export class RouteRequest {
  readonly raw: IncomingMessage;
  readonly id: string;
  readonly method: string;
  /** The path with the query. */
  readonly url: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Of its route: undefined is the common form. Null means that no route was found. */
  errorForm: ErrorForm | undefined | null = null;
  /** Of its route; null means that no route was found, or it accepts no token of a program. */
  resource: string | null = null;
  params: Readonly<Record<string, string>> = {};
  /** Null until the auth guard has run. */
  authentication: Authentication | null = null;
  /** The tightest of the limits that the request was counted for; null when it was counted for none. */
  rateLimitState: RateLimitState | null = null;
  /** The limits that the request was counted for. */
  readonly counted: { readonly window: WindowName; readonly key: string }[] = [];
  /** A value from JSON, a text or bytes; undefined without one. */
  body: unknown = undefined;
  /** The bytes of a body that was parsed, where a signature must be checked. */
  signedBytes: Buffer | null = null;
  signatures: VerifiedSignatures | null = null;
  readonly #tlsMode: Settings["tlsMode"];

  constructor(raw: IncomingMessage, id: string, { tlsMode }: Pick<Settings, "tlsMode">) {
    const { method = "", url = "" } = raw;
    this.raw = raw;
    this.id = id;
    this.method = method;
    this.url = url.startsWith("/") ? url : url.replace(ORIGIN, "");
    this.headers = raw.headers;
    this.path = this.url.slice(0, endOfPath(this.url));
    this.#tlsMode = tlsMode;
  }

  /** What follows the question mark. */
  get search(): string {
    return this.url.slice(this.path.length + 1);
  }

  get query(): Readonly<Record<string, string | string[] | undefined>> {
    return parse(this.search, "&", "=", { maxKeys: 0 });
  }

  get clientAddress(): string {
    return clientAddressOf(this.raw, this.#tlsMode);
  }
}

function endOfPath(url: string): number {
  const end = url.search(/[?#]/);
  return end === -1 ? url.length : end;
}

/** Uses the forwarded address only behind a proxy, where the check of the transport has validated it. */
export function clientAddressOf({ headers, socket }: IncomingMessage, tlsMode: Settings["tlsMode"]): string {
  const forwarded = tlsMode === "proxy" ? headers["x-forwarded-for"] : undefined;
  return String(forwarded ?? socket.remoteAddress ?? "");
}
