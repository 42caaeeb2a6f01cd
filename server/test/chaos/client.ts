import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import https from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import type { Credentials } from "../support/service.ts";

const PASSWORD = "correct horse 7";
const REQUEST_TIMEOUT_MS = 30_000;
const PAUSE_AFTER_FAILURE_MS = 20;
/** The reason of a request for which no connection was established: whoever sent it can repeat it elsewhere. */
export const NOT_SENT = "not sent";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface Ask {
  readonly method?: "GET" | "POST" | "PATCH";
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a client saw of a fault. */
export interface Seen {
  readonly requests: number;
  readonly failed: number;
  /** Statuses of failed requests, and errors of the connection, with how often each occurred. */
  readonly reasons: Readonly<Record<string, number>>;
  /** The longest time from the first failed request to the next success. */
  readonly errorsForMs: number;
  readonly slowestMs: number;
}

interface Session {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly user: { readonly id: string };
}

/** A user of the service over HTTP, who renews a session that has expired. All requests are recorded, so that a test can say what a client saw of a fault. */
export class ChaosClient {
  readonly userId: string;
  #token: string;
  #refreshToken: string;
  #renewing: Promise<void> | null = null;
  readonly #agent: https.Agent;
  readonly #credentials: Credentials;
  #entries: { readonly startedMs: number; readonly endedMs: number; readonly reason: string | null }[] = [];

  private constructor(credentials: Credentials, agent: https.Agent, session: Session) {
    this.#credentials = credentials;
    this.#agent = agent;
    this.userId = session.user.id;
    this.#token = session.access_token;
    this.#refreshToken = session.refresh_token;
  }

  get token(): string {
    return this.#token;
  }

  static async signUp(credentials: Credentials): Promise<ChaosClient> {
    const { ca_cert_file: file } = credentials;
    const ca = file === null ? undefined : await readFile(file, "utf8");
    const agent = new https.Agent({ keepAlive: true, ...(ca === undefined ? {} : { ca }) });
    const { status, text } = await send(credentials, agent, "/auth/v1/signup", {
      body: { email: `${randomUUID()}@example.com`, password: PASSWORD },
    });
    if (status !== 200) throw new Error(`sign-up failed: ${status} ${text}`);
    return new ChaosClient(credentials, agent, JSON.parse(text) as Session);
  }

  /** Fails when there is no whole response. */
  async ask(path: string, { headers, ...rest }: Ask = {}): Promise<Answer> {
    const startedMs = performance.now();
    const note = (reason: string | null): void =>
      void this.#entries.push({ startedMs, endedMs: performance.now(), reason });
    try {
      const authorization = `Bearer ${this.#token}`;
      const answer = await send(this.#credentials, this.#agent, path, {
        ...rest,
        headers: { authorization, ...headers },
      });
      const { status } = answer;
      note(status < 500 && status !== 401 ? null : String(status));
      if (status === 401) await this.#renew();
      return answer;
    } catch (error) {
      note(error instanceof Error && "code" in error ? String(error.code) : String(error));
      throw error;
    }
  }

  async insert(table: string, row: Record<string, unknown>, headers: Record<string, string> = {}): Promise<string> {
    const { status, text } = await this.ask(`/rest/v1/${table}`, {
      body: row,
      headers: { prefer: "return=representation", ...headers },
    });
    const [made] = status === 201 ? (JSON.parse(text) as { id: string }[]) : [];
    if (made === undefined) throw new Error(`${status} ${text}`);
    return made.id;
  }

  /** Repeats an insert of an agent with one Idempotency-Key until it is answered. */
  async insertSurely(name: string, signal: AbortSignal): Promise<string | null> {
    const key = randomUUID();
    while (!signal.aborted) {
      try {
        return await this.insert("agents", { name, framework: "provider_a" }, { "idempotency-key": key });
      } catch {
        await sleep(PAUSE_AFTER_FAILURE_MS);
      }
    }
    return null;
  }

  /** Concurrent requests share one refresh, as those of a client library do. */
  #renew(): Promise<void> {
    this.#renewing ??= (async () => {
      const body = { refresh_token: this.#refreshToken };
      const { status, text } = await send(this.#credentials, this.#agent, "/auth/v1/token?grant_type=refresh_token", {
        body,
      });
      if (status !== 200) throw new Error(`refresh failed: ${status} ${text}`);
      const session = JSON.parse(text) as Session;
      this.#token = session.access_token;
      this.#refreshToken = session.refresh_token;
    })().finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  /** Forgets the requests so far. */
  restart(): void {
    this.#entries = [];
  }

  describe(): Seen {
    const entries = this.#entries.toSorted((one, other) => one.endedMs - other.endedMs);
    const reasons: Record<string, number> = {};
    let failingSinceMs: number | null = null;
    let errorsForMs = 0;
    for (const { endedMs, startedMs, reason } of entries) {
      if (reason !== null) {
        reasons[reason] = (reasons[reason] ?? 0) + 1;
        failingSinceMs ??= endedMs;
      } else if (failingSinceMs !== null && startedMs >= failingSinceMs) {
        errorsForMs = Math.max(errorsForMs, endedMs - failingSinceMs);
        failingSinceMs = null;
      }
    }
    const failed = entries.filter(({ reason }) => reason !== null).length;
    const slowestMs = Math.max(0, ...entries.map(({ startedMs, endedMs }) => endedMs - startedMs));
    return { requests: entries.length, failed, reasons, errorsForMs, slowestMs };
  }

  close(): void {
    this.#agent.destroy();
  }
}

export function renderSeen({ requests, failed, reasons, errorsForMs, slowestMs }: Seen): string {
  const share = requests === 0 ? 0 : (100 * failed) / requests;
  const why = Object.entries(reasons).map(([reason, count]) => `${reason} × ${count}`);
  const text = `${requests} requests, ${failed} failed (${share.toFixed(1)} %), errors for ${Math.round(errorsForMs)} ms`;
  return `${text}, slowest ${Math.round(slowestMs)} ms${why.length === 0 ? "" : ` (${why.join(", ")})`}`;
}

function send({ url, anon_key: apikey }: Credentials, agent: https.Agent, path: string, ask: Ask): Promise<Answer> {
  const { method = "POST", body, headers } = ask;
  return new Promise((resolve, reject) => {
    const request = https.request(
      new URL(path, url),
      {
        method,
        agent,
        timeout: REQUEST_TIMEOUT_MS,
        headers: { apikey, ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          if (!response.complete) reject(new Error("the response is incomplete"));
          else
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(chunks).toString(),
            });
        });
      },
    );
    request.on("socket", (socket) => {
      if (request.reusedSocket) return;
      let isEstablished = false;
      socket.once("secureConnect", () => {
        isEstablished = true;
      });
      request.prependOnceListener("error", (error) => {
        if (!isEstablished) Object.assign(error, { code: NOT_SENT });
      });
    });
    request.on("timeout", () => request.destroy(new Error("the request timed out")));
    request.on("error", reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
