import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Agent } from "node:https";
import type { OpenApiDocument, Operation, Response, Schema } from "../../src/openapi/document.ts";
import type { Credentials } from "../../../../server/test/support/service.ts";
import { type Answer as RawAnswer, type RequestParts, sendRequest } from "./send-request.ts";
import { createDocumentValidator, type DocumentValidator } from "./document-validator.ts";

export interface Answer extends RawAnswer {
  readonly body: Record<string, unknown>;
}

export interface CallOptions {
  /** What stands in the path for its parameters. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Null sends no credentials at all. */
  readonly token?: string | null;
  readonly apikey?: string;
  /** Keeps connections for further calls. */
  readonly agent?: Agent;
}

/** Calls a running service by the names of its own document, which every answer has to follow. */
export class DescribedService {
  readonly credentials: Credentials;
  readonly ca: string;
  /** `METHOD /path` to the statuses that were seen. */
  readonly seen = new Map<string, Set<number>>();
  /** The types of the events of streams that were seen. */
  readonly seenEvents = new Set<string>();
  /** `METHOD /path action` of the calls with an action whose response depends on it. */
  readonly seenActions = new Set<string>();
  readonly #document: OpenApiDocument;
  readonly #validator: DocumentValidator;

  private constructor(credentials: Credentials, ca: string, document: OpenApiDocument) {
    this.credentials = credentials;
    this.ca = ca;
    this.#document = document;
    this.#validator = createDocumentValidator(document);
  }

  static async open(credentials: Credentials): Promise<DescribedService> {
    const ca = await readFile(credentials.ca_cert_file ?? "", "utf8");
    const { text } = await send(new URL("/openapi.json", credentials.url), { ca, method: "GET" });
    return new DescribedService(credentials, ca, JSON.parse(text) as OpenApiDocument);
  }

  get operations(): string[] {
    return Object.entries(this.#document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
  }

  get notOffered(): OpenApiDocument["x-not-offered"] {
    return this.#document["x-not-offered"];
  }

  get document(): OpenApiDocument {
    return this.#document;
  }

  /** Fails unless the answer has the status and is what the document says of it. */
  async call(name: string, expected: number, options: CallOptions = {}): Promise<Answer> {
    const answer = await this.#send(name, options);
    assert.equal(answer.status, expected, `${name}: ${answer.status} ${answer.text.slice(0, 500)}`);
    this.#judge(name, options, answer);
    this.seen.set(name, (this.seen.get(name) ?? new Set()).add(expected));
    return answer;
  }

  /** Fails unless the answer, whatever its status, is what the document says of it. */
  async try(name: string, options: CallOptions = {}): Promise<Answer> {
    const answer = await this.#send(name, options);
    this.#judge(name, options, answer);
    return answer;
  }

  async #send(name: string, options: CallOptions): Promise<Answer> {
    const [method = "", path = ""] = name.split(" ");
    const { params = {}, query = "", body, token, apikey = this.credentials.anon_key } = options;
    const target = path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => params[parameter] ?? assert.fail(parameter));
    return send(new URL(`${target}${query}`, this.credentials.url), {
      ca: this.ca,
      method,
      ...(options.agent !== undefined && { agent: options.agent }),
      headers: {
        ...(token !== null && { apikey, ...(token !== undefined && { authorization: `Bearer ${token}` }) }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...options.headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  }

  #judge(name: string, { query = "", body }: CallOptions, answer: Answer): void {
    const [method = "", path = ""] = name.split(" ");
    const operation = this.#document.paths[path]?.[method.toLowerCase()];
    assert.ok(operation, `${name} is not described`);
    const response = this.#resolve(
      operation.responses[String(answer.status)] ?? assert.fail(`${name}: ${answer.status} ${answer.text}`),
    );
    assert.ok(answer.headers["x-request-id"], name);
    // Without `return=representation`, a write of rows has no body.
    const isQuietWrite = path.startsWith("/rest/v1/") && method !== "GET" && answer.status < 300;
    if (response.content === undefined || (isQuietWrite && answer.text === "")) {
      assert.equal(answer.text, "", name);
      return;
    }
    const type = String(answer.headers["content-type"] ?? "").split(";")[0] ?? "";
    const content = Object.entries(response.content).find(([media]) => isOfType(type, media))?.[1];
    assert.ok(content, `${name}: ${answer.status} of type ${type}`);
    const value: unknown = /^application\/(?:[\w.]+\+)?json$/.test(type) ? JSON.parse(answer.text) : answer.text;
    const [wholeRows] = content.schema.anyOf?.filter(({ title }) => title === "all columns") ?? [];
    const schema = wholeRows === undefined || query.includes("select=") ? content.schema : wholeRows;
    assert.equal(this.#validator.findFault(schema, value), null, `${name}: ${answer.status}`);
    if (content.schema.contentSchema !== undefined) this.#judgeEvents(content.schema.contentSchema, answer.text);
    if (answer.status < 300) this.#judgeAction(name, operation, answer, body);
    const codes = response["x-error-codes"];
    if (codes === undefined) return;
    const code = answer.body[name.includes(" /auth/v1/") ? "error_code" : "code"];
    assert.ok(codes.includes(String(code)), `${name}: ${answer.status} ${String(code)} is not among ${codes.join()}`);
  }

  #judgeEvents(schema: Schema, text: string): void {
    for (const frame of text.split("\n\n").filter((each) => each !== "" && !each.startsWith(":"))) {
      const fields = frame
        .split("\n")
        .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]);
      const { id, event = "", data = "" } = Object.fromEntries(fields) as Record<string, string>;
      const value = { ...(id !== undefined && { id: Number(id) }), event, data: JSON.parse(data) as unknown };
      assert.equal(this.#validator.findFault(schema, value), null, event);
      this.seenEvents.add(event);
    }
  }

  /** The document says which response belongs to which action. */
  #judgeAction(name: string, operation: Operation, answer: Answer, body: unknown): void {
    const byAction = operation["x-answers-by-action"];
    if (byAction === undefined || typeof body !== "object" || body === null || !("action" in body)) return;
    const action = String(body.action);
    const schema = byAction[action] ?? assert.fail(`${name}: no response for ${action}`);
    assert.equal(this.#validator.findFault(schema, answer.body), null, `${name} ${action}`);
    this.seenActions.add(`${name} ${action}`);
  }

  /** What `seenActions` has when every action was called. */
  get actions(): string[] {
    return Object.entries(this.#document.paths).flatMap(([path, { post }]) =>
      Object.keys(post?.["x-answers-by-action"] ?? {}).map((action) => `POST ${path} ${action}`),
    );
  }

  #resolve(response: Operation["responses"][string]): Response {
    if (!("$ref" in response)) return response;
    return this.#document.components.responses[response.$ref.split("/").at(-1) ?? ""] ?? assert.fail(response.$ref);
  }
}

function isOfType(type: string, media: string): boolean {
  return media.endsWith("/*") ? type.startsWith(media.slice(0, -1)) : type === media;
}

async function send(url: URL, parts: RequestParts): Promise<Answer> {
  const answer = await sendRequest(url, parts);
  const body: unknown = answer.text.startsWith("{") ? JSON.parse(answer.text) : {};
  return { ...answer, body: body as Record<string, unknown> };
}
