import { DEFAULT_RETRY_AFTER_SECONDS, type FunctionsClient, type Json, type JsonObject } from "@swarmbase/sdk";
import { isObject, memberOf } from "../model/json.ts";

export interface ClientOptions {
  readonly fetch: typeof globalThis.fetch;
  /** Without a slash at the end. */
  readonly url: string;
  readonly apiKey: string;
  /** The key itself for the service role; null before a sign-in. */
  readonly token: string | null;
  readonly signal: AbortSignal;
  /** Called before the client waits for a rate limit. */
  onWait(seconds: number): void;
  /** Resolves after the time; rejects when the program has to end. */
  sleep(ms: number): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly body: Json;
}

/** The service rejected a request. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly status: number;
  readonly code: string | null;
  /** Dotted field to message, for a validation error. */
  readonly details: Readonly<Record<string, string>>;

  constructor({ status, body }: Answer) {
    const error = isObject(memberOf(body, "error")) ? memberOf(body, "error") : body;
    const message = [memberOf(error, "message"), memberOf(error, "msg"), memberOf(error, "error_description")].find(
      (text) => typeof text === "string",
    );
    super(typeof message === "string" ? message : `The service answered ${status}.`);
    this.status = status;
    const code = memberOf(error, "code");
    this.code = typeof code === "string" ? code : null;
    const details = memberOf(error, "details");
    this.details = Object.fromEntries(
      Object.entries(isObject(details) ? details : {}).flatMap(([field, text]) =>
        typeof text === "string" ? [[field, text]] : [],
      ),
    );
  }
}

const CALL_TIMEOUT_MS = 60_000;
const PAGE_ROWS = 500;
const MAX_WAITS = 5;
const TOO_MANY_REQUESTS = 429;

/** Calls of the public interface. */
export class Client {
  readonly signal: AbortSignal;
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.signal = options.signal;
    this.#options = options;
  }

  as(user: string): Client {
    return new Client({ ...this.#options, token: user });
  }

  /** For what has to be sent after the program was told to end. */
  until(signal: AbortSignal): Client {
    return new Client({ ...this.#options, signal });
  }

  async send(method: string, path: string, body?: Json): Promise<Answer> {
    const { url, apiKey, token } = this.#options;
    const headers = {
      apikey: apiKey,
      ...(token !== null && { authorization: `Bearer ${token}` }),
      prefer: "return=representation",
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    for (let waits = 0; ; waits += 1) {
      const response = await this.#connect(() =>
        this.#options.fetch(`${url}${path}`, {
          method,
          headers,
          signal: AbortSignal.any([this.signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]),
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      );
      const text = await this.#connect(() => response.text());
      if (response.status !== TOO_MANY_REQUESTS || waits === MAX_WAITS)
        return { status: response.status, body: parseBody(text) };
      await this.pause(Number(response.headers.get("retry-after") ?? "") || DEFAULT_RETRY_AFTER_SECONDS);
    }
  }

  async call(method: string, path: string, body?: Json): Promise<Json> {
    const answer = await this.send(method, path, body);
    if (answer.status >= 300) throw new ServiceError(answer);
    return answer.body;
  }

  async listRows(table: string, filter: Readonly<Record<string, string>>): Promise<readonly JsonObject[]> {
    const rows: JsonObject[] = [];
    for (;;) {
      const page = { ...filter, order: "created_at.asc,id.asc", limit: `${PAGE_ROWS}`, offset: `${rows.length}` };
      const found = await this.call("GET", `/rest/v1/${table}?${new URLSearchParams(page).toString()}`);
      if (!Array.isArray(found)) throw new Error(`${this.#options.url} does not answer as a Swarmbase service does.`);
      rows.push(...found.filter(isObject));
      if (found.length < PAGE_ROWS) return rows;
    }
  }

  async pause(seconds: number): Promise<void> {
    this.#options.onWait(seconds);
    await this.#options.sleep(seconds * 1_000);
  }

  /** For the functions of the sdk, which stream and repeat calls themselves. */
  readonly functions: FunctionsClient["functions"] = {
    invoke: async (name, { body, headers, signal: ended }) => {
      const { url, apiKey, token } = this.#options;
      try {
        const response = await this.#options.fetch(`${url}/functions/v1/${name}`, {
          method: "POST",
          headers: { ...headers, apikey: apiKey, authorization: `Bearer ${token}`, "content-type": "application/json" },
          signal: ended === undefined ? this.signal : AbortSignal.any([this.signal, ended]),
          body: JSON.stringify(body),
        });
        if (!response.ok) return { data: null, error: { context: response } };
        const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
        return { data: isStream ? response : await response.json(), error: null };
      } catch (error) {
        return { data: null, error };
      }
    },
  };

  async #connect<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (this.signal.aborted) throw error;
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`${this.#options.url} does not answer: ${reason}`, { cause: error });
    }
  }
}

function parseBody(text: string): Json {
  if (text === "") return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
