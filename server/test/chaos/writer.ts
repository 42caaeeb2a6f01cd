import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import https from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import type { Credentials } from "../support/service.ts";

const PASSWORD = "correct horse 7";
const REQUEST_TIMEOUT_MS = 10_000;
const PAUSE_AFTER_FAILURE_MS = 20;

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A user who writes over HTTP and retries while the service is down. */
export interface Writer {
  addWebhook(url: string): Promise<string>;
  /** Writes until the signal aborts; `onAnswered` gets the id of every agent whose insert was answered. */
  write(onAnswered: (agentId: string) => void, signal: AbortSignal): Promise<void>;
  close(): void;
}

export async function openWriter({ url, anon_key: apikey, ca_cert_file }: Credentials): Promise<Writer> {
  const ca = ca_cert_file === null ? undefined : await readFile(ca_cert_file, "utf8");
  const agent = new https.Agent({ keepAlive: true, ...(ca === undefined ? {} : { ca }) });
  const post = (path: string, body: unknown, headers: Record<string, string>): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const request = https.request(
        new URL(path, url),
        {
          method: "POST",
          agent,
          timeout: REQUEST_TIMEOUT_MS,
          headers: { apikey, "content-type": "application/json", ...headers },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            if (!response.complete) reject(new Error("the response is incomplete"));
            else resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
          });
        },
      );
      request.on("timeout", () => request.destroy(new Error("the request timed out")));
      request.on("error", reject);
      request.end(JSON.stringify(body));
    });

  const signedUp = await post("/auth/v1/signup", { email: `${randomUUID()}@example.com`, password: PASSWORD }, {});
  const { access_token: token } = JSON.parse(signedUp.text) as { access_token?: string };
  if (token === undefined) throw new Error(`sign-up failed: ${signedUp.status} ${signedUp.text}`);
  const insert = async (table: string, row: Record<string, unknown>): Promise<string> => {
    const headers = { authorization: `Bearer ${token}`, prefer: "return=representation" };
    const { status, text } = await post(`/rest/v1/${table}`, row, headers);
    const [made] = status === 201 ? (JSON.parse(text) as { id: string }[]) : [];
    if (made === undefined) throw new Error(`${status} ${text}`);
    return made.id;
  };

  return {
    addWebhook: (endpoint) => insert("webhooks", { name: "chaos", url: endpoint, events: ["agent.created"] }),
    write: async (onAnswered, signal) => {
      while (!signal.aborted) {
        try {
          onAnswered(await insert("agents", { name: "Ada", framework: "provider_a" }));
        } catch {
          // A write without an answer may or may not be stored.
          await sleep(PAUSE_AFTER_FAILURE_MS);
        }
      }
    },
    close: () => agent.destroy(),
  };
}
