import { once } from "node:events";
import https from "node:https";
import tls from "node:tls";
import type { CredentialsFile } from "../../src/auth/index.ts";
import type { Program } from "./program.ts";

export interface Answered {
  readonly status: number;
  readonly body: string;
}

/** Sends one request; rejects when the connection fails. */
export function send(
  { url, service_role_key: key }: CredentialsFile,
  path: string,
  {
    body,
    agent = false,
    asAnon,
  }: { readonly body?: object; readonly agent?: https.Agent | false; readonly asAnon?: string } = {},
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const request = https.request(
      new URL(path, url),
      {
        agent,
        method: body === undefined ? "GET" : "POST",
        rejectUnauthorized: false,
        headers: {
          apikey: asAnon ?? key,
          ...(asAnon === undefined && { authorization: `Bearer ${key}` }),
          "content-type": "application/json",
        },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("error", reject);
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
      },
    );
    request.on("error", reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Writes rows one after the other, on one connection each, until it is stopped. */
export class Writers {
  /** The names of rows whose write was answered. */
  readonly answered: string[] = [];
  readonly failures: string[] = [];
  readonly #agent = new https.Agent({ keepAlive: true });
  readonly #running: Promise<void>[];
  #isStopped = false;

  constructor(credentials: CredentialsFile, userId: string, count: number) {
    this.#running = Array.from({ length: count }, (_, writer) => this.#write(credentials, userId, writer));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#running);
    this.#agent.destroy();
  }

  async #write(credentials: CredentialsFile, userId: string, writer: number): Promise<void> {
    for (let at = 0; !this.#isStopped; at += 1) {
      const name = `row ${writer} ${at} ${performance.now()}`;
      const body = { user_id: userId, name };
      try {
        const { status, body: text } = await send(credentials, "/rest/v1/agents", { body, agent: this.#agent });
        if (status === 201) this.answered.push(name);
        else this.failures.push(`${status} ${text}`);
      } catch (error) {
        this.failures.push(String(error));
      }
    }
  }
}

export async function addUser(credentials: CredentialsFile, email: string): Promise<string> {
  const body = { email, password: "correct horse battery", email_confirm: true };
  return (JSON.parse((await send(credentials, "/auth/v1/admin/users", { body })).body) as { id: string }).id;
}

export async function namesOf(credentials: CredentialsFile, userId: string): Promise<ReadonlySet<string>> {
  const { body } = await send(credentials, `/rest/v1/agents?select=name&user_id=eq.${userId}`);
  return new Set((JSON.parse(body) as { name: string }[]).map(({ name }) => name));
}

/** A connection on which nothing is sent. */
export async function openIdle({ url }: CredentialsFile): Promise<tls.TLSSocket> {
  const socket = tls.connect({ host: "127.0.0.1", port: Number(new URL(url).port), rejectUnauthorized: false });
  socket.on("error", () => {});
  await once(socket, "secureConnect");
  return socket;
}

/** The process ids of the workers that have started, oldest first. */
export function workersOf(program: Program): number[] {
  return program.lines().flatMap(({ event, pid }) => (event === "process.started" ? [Number(pid)] : []));
}
