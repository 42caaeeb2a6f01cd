import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import type { ParsedRequest } from "../../../src/rest/parse/parsed-request.ts";
import { parse } from "./parsing.ts";

const ORIGIN = "https://tables.test";
const PREFIX = "/rest/v1";

/** What the unmodified client sends for a call, as the parser reads it. Nothing leaves the process. */
export async function captureParsed(call: (client: SupabaseClient) => PromiseLike<unknown>): Promise<ParsedRequest> {
  const requests: Request[] = [];
  const client = createClient(ORIGIN, "key", {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    global: {
      fetch: (input, init) => {
        requests.push(new Request(input, init));
        return Promise.resolve(new Response("[]", { headers: { "content-type": "application/json" } }));
      },
    },
  });
  await call(client);
  const [request] = requests;
  if (request === undefined) throw new Error("the client sent nothing");
  const { pathname, search } = new URL(request.url);
  if (!pathname.startsWith(PREFIX)) throw new Error(`the client called ${pathname}`);
  const headers = Object.fromEntries(request.headers);
  const bytes = Buffer.from(await request.arrayBuffer());
  return parse({
    method: request.method,
    path: pathname.slice(PREFIX.length),
    search,
    headers,
    body: bytes.length === 0 ? null : bytes,
    contentType: headers["content-type"] ?? null,
  });
}
