import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import https from "node:https";
import type { IncomingHttpHeaders } from "node:http";
import type { OpenApiDocument, Operation, Response } from "../../src/openapi/document.ts";
import type { Credentials } from "../../../../server/test/support/service.ts";
import { createDocumentValidator, type DocumentValidator } from "./document-validator.ts";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
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
}

/** Calls a running service by the names of its own document, which every answer has to follow. */
export class DescribedService {
  readonly credentials: Credentials;
  readonly ca: string;
  /** `METHOD /path` to the statuses that were seen. */
  readonly seen = new Map<string, Set<number>>();
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

  statusesOf(name: string): number[] {
    const [method = "", path = ""] = name.split(" ");
    return Object.keys(this.#document.paths[path]?.[method.toLowerCase()]?.responses ?? {}).map(Number);
  }

  /** Fails unless the answer has the status and is what the document says of it. */
  async call(name: string, expected: number, options: CallOptions = {}): Promise<Answer> {
    const [method = "", path = ""] = name.split(" ");
    const operation = this.#document.paths[path]?.[method.toLowerCase()];
    assert.ok(operation, `${name} is not described`);
    const { params = {}, query = "", body, token, apikey = this.credentials.anon_key } = options;
    const target = path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => params[parameter] ?? assert.fail(parameter));
    const answer = await send(new URL(`${target}${query}`, this.credentials.url), {
      ca: this.ca,
      method,
      headers: {
        ...(token !== null && { apikey, ...(token !== undefined && { authorization: `Bearer ${token}` }) }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...options.headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    assert.equal(answer.status, expected, `${name}: ${answer.status} ${answer.text.slice(0, 500)}`);
    this.#judge(name, operation, answer);
    this.seen.set(name, (this.seen.get(name) ?? new Set()).add(expected));
    return answer;
  }

  #judge(name: string, operation: Operation, answer: Answer): void {
    const response = this.#resolve(
      operation.responses[String(answer.status)] ?? assert.fail(`${name}: ${answer.text}`),
    );
    const type = String(answer.headers["content-type"] ?? "").split(";")[0] ?? "";
    const content = Object.entries(response.content ?? {}).find(([media]) => isOfType(type, media))?.[1];
    assert.ok(answer.headers["x-request-id"], name);
    if (response.content === undefined) {
      assert.equal(answer.text, "", name);
      return;
    }
    assert.ok(content, `${name}: ${answer.status} of type ${type}`);
    const value: unknown = type === "application/json" ? JSON.parse(answer.text) : answer.text;
    assert.equal(this.#validator.findFault(content.schema, value), null, `${name}: ${answer.status}`);
    const codes = response["x-error-codes"];
    if (codes === undefined) return;
    const code = answer.body[name.includes(" /auth/v1/") ? "error_code" : "code"];
    assert.ok(codes.includes(String(code)), `${name}: ${answer.status} ${String(code)} is not among ${codes.join()}`);
  }

  #resolve(response: Operation["responses"][string]): Response {
    if (!("$ref" in response)) return response;
    return this.#document.components.responses[response.$ref.split("/").at(-1) ?? ""] ?? assert.fail(response.$ref);
  }
}

function isOfType(type: string, media: string): boolean {
  return media.endsWith("/*") ? type.startsWith(media.slice(0, -1)) : type === media;
}

function send(url: URL, { body, ...options }: https.RequestOptions & { readonly body?: string }): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = https.request(url, { agent: false, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const parsed: unknown = text.startsWith("{") ? JSON.parse(text) : {};
        const { statusCode = 0, headers } = response;
        resolve({ status: statusCode, headers, text, body: parsed as Record<string, unknown> });
      });
    });
    request.on("error", reject);
    request.end(body);
  });
}
