import { randomUUID } from "node:crypto";
import type { Json } from "@swarmbase/sdk";
import { isObject, memberOf } from "../model/json.ts";
import { UUID } from "../model/keys.ts";
import { Client, type ClientOptions, ServiceError } from "./client.ts";

/** How the commands sign in. */
export type Access =
  | { readonly as: "password"; readonly email: string; readonly password: string }
  | { readonly as: "token"; readonly token: string }
  /** A null owner stands for the only account of the service. */
  | { readonly as: "service"; readonly key: string; readonly owner: string | null };

interface Owner {
  readonly id: string;
  readonly email: string | null;
  /** The account does not exist yet: `apply` creates it, with this id. */
  readonly isNew: boolean;
}

export interface Session {
  readonly client: Client;
  readonly url: string;
  /** Whose agents, tools, swarms, webhooks, schedules and triggers the files describe. */
  readonly owner: Owner;
  readonly isService: boolean;
  /** Ends a session that was opened for this run. */
  close(): Promise<void>;
}

export async function openSession(
  options: Omit<ClientOptions, "token" | "apiKey"> & {
    readonly anonKey: string | null;
    readonly access: Access;
    readonly createsOwner: boolean;
  },
): Promise<Session> {
  const { access, anonKey, url } = options;
  if (access.as === "service") {
    const client = new Client({ ...options, apiKey: access.key, token: access.key });
    const owner = await findOwner(client, access.owner, options.createsOwner);
    return { client, url, owner, isService: true, close: async () => {} };
  }
  if (anonKey === null) throw new Error("SWARMBASE_ANON_KEY is missing: the public key of the service.");
  const anonymous = new Client({ ...options, apiKey: anonKey, token: null });
  const token = access.as === "token" ? access.token : await signIn(anonymous, access);
  const client = anonymous.as(token);
  // An API key may read the profile, but not the account.
  const profiles = await client.call("GET", "/rest/v1/profiles?select=id,email");
  const owner = readAccount(Array.isArray(profiles) ? (profiles[0] ?? null) : null);
  return {
    client,
    url,
    owner,
    isService: false,
    close: async () => {
      // Only this session; the user stays signed in elsewhere. It expires on its own when this fails.
      if (access.as === "password") await client.send("POST", "/auth/v1/logout?scope=local").catch(() => {});
    },
  };
}

async function signIn(client: Client, { email, password }: { email: string; password: string }): Promise<string> {
  const answer = await client.send("POST", "/auth/v1/token?grant_type=password", { email, password });
  const token = memberOf(answer.body, "access_token");
  if (answer.status < 300 && typeof token === "string") return token;
  throw new Error(`Could not sign in as ${email}: ${new ServiceError(answer).message}`);
}

async function findOwner(client: Client, named: string | null, creates: boolean): Promise<Owner> {
  if (named !== null && UUID.test(named)) {
    const answer = await client.send("GET", `/auth/v1/admin/users/${named}`);
    if (answer.status === 404) throw new Error(`There is no user with the id ${named}.`);
    if (answer.status >= 300) throw new ServiceError(answer);
    return readAccount(answer.body);
  }
  const users = await findUsers(client, named);
  const [first, second] = users;
  if (first !== undefined && second === undefined) return first;
  if (named !== null && creates) return { id: randomUUID(), email: named.toLowerCase(), isNew: true };
  if (named !== null) throw new Error(`There is no user with the e-mail address ${named}.`);
  throw new Error(
    first === undefined ? "The service has no users yet." : "There are several users: name one with --owner.",
  );
}

/** Up to two users; any when no address is named. */
export async function findUsers(client: Client, email: string | null): Promise<readonly Owner[]> {
  const filter = email === null ? "" : `&email=${encodeURIComponent(email)}`;
  const users = memberOf(await client.call("GET", `/auth/v1/admin/users?per_page=2${filter}`), "users");
  return (Array.isArray(users) ? users : []).map(readAccount);
}

function readAccount(body: Json): Owner {
  const id = memberOf(body, "id");
  const email = memberOf(body, "email");
  if (!isObject(body) || typeof id !== "string") throw new Error("The service returned no user.");
  return { id, email: typeof email === "string" && email !== "" ? email : null, isNew: false };
}
