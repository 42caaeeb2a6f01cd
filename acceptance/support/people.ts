import { type ClientOptions, openAdmin, type SignedUp, signUpNew } from "./clients.ts";
import type { Answer, Service } from "./service.ts";

export type Row = Record<string, unknown>;

export interface TableAnswer extends Answer {
  /** The rows of a list; a single object counts as one. */
  readonly rows: Row[];
}

interface SendOptions {
  /** A string is sent unchanged, anything else as JSON. */
  body?: unknown;
  /** Undefined removes a default header. */
  headers?: Readonly<Record<string, string | undefined>>;
}

/** A plain HTTPS request: `"GET /agents?select=id"`, with the path below `/rest/v1`. */
export type Send = (line: string, options?: SendOptions) => Promise<TableAnswer>;

/** A user with both the client library and plain HTTPS. */
export interface Person extends SignedUp {
  readonly id: string;
  readonly send: Send;
}

export const REPRESENTATION = { prefer: "return=representation" };
export const SINGLE = { accept: "application/vnd.pgrst.object+json" };

export async function newPerson(service: Service, options?: ClientOptions): Promise<Person> {
  const signedUp = await signUpNew(service, options);
  const { access_token: token, user } = signedUp.session;
  return { ...signedUp, id: user.id, send: openSend(service, { token }) };
}

/** The service role, with both the client library and plain HTTPS. */
export function openServiceRole(service: Service): Pick<Person, "client" | "send"> {
  const { service_role_key: key } = service.credentials;
  return { client: openAdmin(service), send: openSend(service, { token: key, key }) };
}

export function openSend(service: Service, { token, key }: { token: string; key?: string }): Send {
  const usual = { apikey: key ?? service.credentials.anon_key, authorization: `Bearer ${token}` };
  return async (line, { body, headers = {} } = {}) => {
    const [method = "GET", path = "/"] = line.split(/ (.*)/s);
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const type = text === undefined ? {} : { "content-type": "application/json" };
    const sent = Object.entries({ ...usual, ...type, ...headers }).filter(([, value]) => value !== undefined);
    const address = path.startsWith("/functions/") ? path : `/rest/v1${path}`;
    const answer = await service.request(address, {
      method,
      headers: Object.fromEntries(sent) as Record<string, string>,
      ...(text !== undefined && { body: text }),
    });
    return { ...answer, rows: readRows(answer) };
  };
}

/** The only row of a successful response. */
export function onlyRow({ status, text, rows }: TableAnswer): Row {
  const [row] = rows;
  if (status >= 300 || row === undefined || rows.length > 1) throw new Error(`${status} ${text}`);
  return row;
}

function readRows({ text, body, status }: Answer): Row[] {
  if (status >= 300) return [];
  if (text.startsWith("[")) return JSON.parse(text) as Row[];
  return text.startsWith("{") ? [body] : [];
}
