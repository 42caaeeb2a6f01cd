import { readFile } from "node:fs/promises";
import type { Service } from "../../acceptance/support/service.ts";
import type { Contender } from "../load/compare.ts";
import { type HttpConnection, type HttpRequest, openConnection, renderRequest } from "../load/http-connection.ts";

export interface ServiceCalls {
  readonly signIn: Contender;
  readonly getUser: Contender;
  readonly getHealth: Contender;
  close(): void;
}

/** Calls over kept-alive connections, each with its own user. */
export async function createServiceCalls(
  service: Service,
  { password, connections }: { readonly password: string; readonly connections: number },
): Promise<ServiceCalls> {
  const { anon_key: apikey, ca_cert_file: caFile } = service.credentials;
  const ca = caFile === null ? undefined : await readFile(caFile, "utf8");
  const target = { host: service.host, port: service.port, ca };
  const lines: HttpConnection[] = [];
  const people: Person[] = [];
  for (let count = 0; count < connections; count += 1) {
    lines.push(await openConnection(target));
    people.push(await signUp(service, password));
  }

  const contender = (name: string, describe: (person: Person) => HttpRequest): Contender => {
    const requests = people.map((person) => renderRequest(target, describe(person)));
    return {
      name: `${name} over HTTPS, ${connections} connections`,
      concurrency: connections,
      perCall: 1,
      work: async (worker) => {
        const status = await lines[worker]?.send(requests[worker] ?? Buffer.alloc(0));
        if (status !== 200) throw new Error(`${name} was answered with ${status}.`);
      },
    };
  };
  return {
    signIn: contender("sign-ins", ({ email }) => ({
      method: "POST",
      path: "/auth/v1/token?grant_type=password",
      headers: { apikey, "content-type": "application/json" },
      body: JSON.stringify({ email, password }),
    })),
    getUser: contender("GET /auth/v1/user", ({ token }) => ({
      method: "GET",
      path: "/auth/v1/user",
      headers: { apikey, authorization: `Bearer ${token}` },
    })),
    getHealth: contender("GET /health", () => ({ method: "GET", path: "/health", headers: {} })),
    close: () => {
      for (const line of lines) line.close();
    },
  };
}

interface Person {
  readonly email: string;
  readonly token: string;
}

async function signUp(service: Service, password: string): Promise<Person> {
  const email = `bench-${crypto.randomUUID()}@example.com`;
  const { status, text, body } = await service.request("/auth/v1/signup", {
    method: "POST",
    headers: { apikey: service.credentials.anon_key, "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  if (status !== 200) throw new Error(`A sign-up was answered with ${status}: ${text}`);
  return { email, token: String(body["access_token"]) };
}
