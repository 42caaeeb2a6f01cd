import type { Response } from "undici";
import { ToolFailure } from "../../../errors/index.ts";
import type { ToolAnswer } from "../tool-kind.ts";

const MAX_BYTES = 4_000_000;
const SPARE_BYTES = 1024;
const BINARY_TYPE =
  /^(?:image|audio|video|font)\/(?!svg)|^application\/(?:octet-stream|pdf|zip|gzip|x-|vnd\.(?!.*(?:json|xml)))/i;

/** The result of a tool by the response of its server. Throws a `ToolFailure` for a status that is not 2xx. */
export async function toToolAnswer(response: Response, maxChars: number, attempts = 1): Promise<ToolAnswer> {
  const { status } = response;
  const { text, isCut } = await readResponseText(response, maxChars);
  if (status >= 200 && status < 300)
    return { text: text === "" ? `[empty answer, status ${status}]` : text, isCut, attempts };
  const isRetryable = status === 408 || status === 425 || status === 429 || status >= 500;
  const message = `The server answered with status ${status}.`;
  throw new ToolFailure("TOOL_HTTP_ERROR", message, { isRetryable, attempts, text });
}

/** Reads the bytes that `maxChars` characters need at most, and closes the connection when the response is longer. */
export async function readResponseText(response: Response, maxChars: number): Promise<Omit<ToolAnswer, "attempts">> {
  const type = response.headers.get("content-type") ?? "";
  const maxBytes = Math.min(MAX_BYTES, maxChars * 4 + SPARE_BYTES);
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isCut = false;
  if (response.body !== null) {
    // Leaving the loop cancels the stream, which closes the connection.
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      size += chunk.byteLength;
      isCut = size > maxBytes;
      if (isCut) break;
    }
  }
  const bytes = Buffer.concat(chunks).subarray(0, maxBytes);
  if (BINARY_TYPE.test(type) || isBinary(bytes)) {
    const named = type.split(";", 1)[0]?.slice(0, 100) ?? "";
    return {
      text: `[binary content${named === "" ? "" : ` of type ${named}`}, ${size} bytes${isCut ? " or more" : ""}]`,
      isCut: false,
    };
  }
  return { text: new TextDecoder().decode(bytes, { stream: isCut }), isCut };
}

function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, SPARE_BYTES).includes(0);
}
