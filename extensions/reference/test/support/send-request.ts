import type { IncomingHttpHeaders } from "node:http";
import https from "node:https";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface RequestParts extends Omit<https.RequestOptions, "headers"> {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export function sendRequest(url: URL, { body, headers, ...options }: RequestParts): Promise<Answer> {
  // Node.js frames the body of a DELETE only if its length is given.
  const framed = body === undefined ? headers : { ...headers, "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const request = https.request(url, { agent: false, ...options, headers: framed }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    request.on("error", reject);
    request.end(body);
  });
}
