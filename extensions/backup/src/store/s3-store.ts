import { setTimeout as sleep } from "node:timers/promises";
import { ExistsError, type ObjectStore } from "./object-store.ts";
import { encodeStrictly, type S3Credentials, type S3Request, signRequest } from "./sign-request.ts";

interface S3StoreOptions {
  /** `https://<host>/<bucket>` or `https://<host>/<bucket>/<prefix>`. */
  readonly url: string;
  readonly credentials: S3Credentials;
  readonly fetch: typeof globalThis.fetch;
  now(): Date;
}

interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

const ATTEMPTS = 4;
const FIRST_DELAY_MS = 250;
/** For one object of a few MB. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Far more than an object of the archive or a page of a list has. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const EMPTY = Buffer.alloc(0);

/** Objects in a bucket of Amazon S3 or of a server with the same interface, by path-style addresses. */
export function openS3Store(options: S3StoreOptions): ObjectStore {
  const { url, credentials } = options;
  const { origin, pathname } = new URL(url);
  const [bucket = "", ...folders] = pathname.split("/").filter((part) => part !== "");
  const root = folders.map((folder) => `${decodeURIComponent(folder)}/`).join("");
  const addressOf = (name: string): URL =>
    new URL(`${origin}/${bucket}/${(root + name).split("/").map(encodeStrictly).join("/")}`);

  const send = async (
    request: Omit<S3Request, "headers"> & Partial<S3Request>,
    signal: AbortSignal,
  ): Promise<Answer> => {
    const { method, url: address, headers = {}, body } = request;
    const response = await options.fetch(address, {
      method,
      headers: signRequest({ method, url: address, headers, body }, credentials, options.now()),
      ...(method === "PUT" && { body: body as Uint8Array<ArrayBuffer> }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    });
    return { status: response.status, body: await readBounded(response) };
  };

  /** Repeats what the server could not do now. The last error is thrown. */
  const ask = async (...[request, signal]: Parameters<typeof send>): Promise<Answer> => {
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt === ATTEMPTS;
      try {
        const answer = await send(request, signal);
        const isTemporary = answer.status >= 500 || answer.status === 429;
        if (!isTemporary || isLast) return answer;
      } catch (error) {
        if (isLast || signal.aborted || error instanceof TooLongError) throw error;
      }
      await sleep(FIRST_DELAY_MS * 2 ** (attempt - 1), undefined, { signal });
    }
  };

  return {
    location: url,

    async put(name, content, { signal, mayReplace = false }) {
      const headers: Record<string, string> = mayReplace ? {} : { "if-none-match": "*" };
      const answer = await ask({ method: "PUT", url: addressOf(name), headers, body: content }, signal);
      if (answer.status === 412 || answer.status === 409) throw new ExistsError(`${url}/${name} exists already`);
      if (answer.status !== 200) throw refusedError(`write ${name}`, answer);
    },

    async get(name, signal) {
      const answer = await ask({ method: "GET", url: addressOf(name), body: EMPTY }, signal);
      if (answer.status === 404) return null;
      if (answer.status !== 200) throw refusedError(`read ${name}`, answer);
      return answer.body;
    },

    async list(prefix, signal) {
      const names: string[] = [];
      for (let token: string | null = ""; token !== null; ) {
        const query = { "list-type": "2", prefix: root + prefix, ...(token !== "" && { "continuation-token": token }) };
        const parts = Object.entries(query).map(([key, value]) => `${key}=${encodeStrictly(value)}`);
        const address = new URL(`${origin}/${bucket}?${parts.join("&")}`);
        const answer = await ask({ method: "GET", url: address, body: EMPTY }, signal);
        if (answer.status !== 200) throw refusedError(`list ${prefix}`, answer);
        const text = answer.body.toString();
        names.push(...readAll(text, "Key").map((key) => key.slice(root.length)));
        token = readAll(text, "NextContinuationToken")[0] ?? null;
      }
      return names.sort((one, other) => (one < other ? -1 : 1));
    },

    async remove(name, signal) {
      const answer = await ask({ method: "DELETE", url: addressOf(name), body: EMPTY }, signal);
      if (![200, 204, 404].includes(answer.status)) throw refusedError(`remove ${name}`, answer);
    },
  };
}

class TooLongError extends Error {
  override readonly name = "TooLongError";
}

/** A server that answers without end must not exhaust the memory. */
async function readBounded({ body }: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) throw new TooLongError(`The bucket sent more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** With the code of the server, such as `AccessDenied`; its message could repeat what was sent. */
function refusedError(what: string, { status, body }: Answer): Error {
  const [code = "no reason given"] = readAll(body.toString(), "Code");
  return new Error(`The bucket refused to ${what}: ${status} ${code.slice(0, 100)}`);
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** The texts of the elements with this name. Lists and errors of S3 have neither attributes nor nested elements of one name. */
function readAll(xml: string, name: string): string[] {
  return Array.from(xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g")), ([, text = ""]) =>
    text.replaceAll(/&(?:#(\d+)|(\w+));/g, (whole, digits?: string, entity?: string) =>
      digits === undefined ? (ENTITIES[entity ?? ""] ?? whole) : String.fromCodePoint(Number(digits)),
    ),
  );
}
