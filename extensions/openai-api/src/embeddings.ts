import { AppError, type ExtensionRequest, type ExtensionResponse, isRecord } from "swarmbase/extension";
import { readBody } from "./ask.ts";
import { isSet } from "./conversation.ts";
import { fault, invalid, unsupported } from "./errors.ts";
import type { Context } from "./settings.ts";

/** OpenAI's bounds. */
const MAX_INPUTS = 2_048;
const MAX_DIMENSIONS = 65_536;
const TIMEOUT_MS = 60_000;
/** More than all inputs with the largest models take as base64. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const BYTES_PER_NUMBER = 4;

/** POST /v1/embeddings. Passes the texts on to the server that the operator has set. */
export async function createEmbeddings(
  { body: sent, signal }: ExtensionRequest,
  context: Context,
): Promise<ExtensionResponse> {
  const { OPENAI_API_EMBEDDINGS_URL: url, OPENAI_API_EMBEDDINGS_MODELS: models } = context.settings;
  if (url === null) throw new AppError("PROVIDER_NOT_CONFIGURED", "No model for embeddings is configured");
  const { model, input, dimensions, encoding_format: named } = readBody(sent);
  const format = named ?? "float";
  if (typeof model !== "string" || !models.includes(model))
    throw fault("model_not_found", "model", `must be one of ${models.join(", ")}`, 404);
  if (format !== "float" && format !== "base64") throw invalid("encoding_format", "must be float or base64");
  const isCount = Number.isInteger(dimensions) && Number(dimensions) > 0 && Number(dimensions) <= MAX_DIMENSIONS;
  if (isSet(dimensions) && !isCount) throw invalid("dimensions", `must be between 1 and ${MAX_DIMENSIONS}`);
  const texts = readTexts(input);
  const request = { model, input: texts, encoding_format: format, ...(isCount && { dimensions }) };
  const answer = await ask(url, request, { context, signal });
  const { data, usage } = isRecord(answer) ? answer : {};
  if (!Array.isArray(data) || data.length !== texts.length) throw unexpected();
  // The order is that of the indexes, whatever the order of the list is.
  const vectors = new Map(data.map((one) => (isRecord(one) ? [one["index"], one["embedding"]] : [null, null])));
  const embeddings = texts.map((_, index) => ({
    object: "embedding",
    index,
    embedding: toFormat(vectors.get(index), format),
  }));
  return { body: { object: "list", data: embeddings, model, usage: readUsage(usage) } };
}

function readTexts(input: unknown): readonly string[] {
  const texts: unknown[] = Array.isArray(input) ? input : [input];
  if (texts.length === 0 || texts.length > MAX_INPUTS) throw invalid("input", `must be 1 to ${MAX_INPUTS} texts`);
  return texts.map((text, index) => {
    if (typeof text === "number" || Array.isArray(text)) throw unsupported("input", "send texts instead of tokens");
    if (typeof text !== "string" || text === "") throw invalid(`input[${index}]`, "must be a text that is not empty");
    return text;
  });
}

interface Asking {
  readonly context: Context;
  readonly signal: AbortSignal;
}

/** The answer has no words of the server, because vendors quote keys and inputs. */
async function ask(url: string, request: object, { context, signal }: Asking): Promise<unknown> {
  const { OPENAI_API_EMBEDDINGS_KEY: key } = context.settings;
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await context.fetch(`${url.replace(/\/+$/, "")}/embeddings`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(key !== null && { authorization: `Bearer ${key}` }) },
      body: JSON.stringify(request),
      signal: AbortSignal.any([signal, timeout]),
    });
    const { status, headers } = response;
    if (status === 429) {
      const seconds = Number(headers.get("retry-after") ?? "") || null;
      await response.body?.cancel();
      throw new AppError("RATE_LIMITED", "The server of the model allows no more requests", {
        ...(seconds !== null && { retryAfterSeconds: Math.ceil(seconds) }),
      });
    }
    const text = await readText(response);
    if (status === 400 || status === 413 || status === 422)
      throw invalid("input", "is not accepted by the model: it may be too long");
    if (status !== 200) throw unexpected();
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (!signal.aborted) context.fail("the server of embeddings did not answer", error);
    throw timeout.aborted
      ? new AppError("PROVIDER_TIMEOUT", "The server of the model did not answer in time")
      : unexpected();
  }
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw unexpected();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Servers may know one of the formats only. */
function toFormat(vector: unknown, format: "float" | "base64"): unknown {
  if (typeof vector === "string") {
    if (format === "base64") return vector;
    const bytes = Buffer.from(vector, "base64");
    return Array.from({ length: Math.floor(bytes.length / BYTES_PER_NUMBER) }, (_, index) =>
      bytes.readFloatLE(index * BYTES_PER_NUMBER),
    );
  }
  if (!Array.isArray(vector) || !vector.every(Number.isFinite)) throw unexpected();
  if (format === "float") return vector;
  const bytes = Buffer.alloc(vector.length * BYTES_PER_NUMBER);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(Number(value), index * BYTES_PER_NUMBER);
  return bytes.toString("base64");
}

function readUsage(usage: unknown): object {
  const { prompt_tokens: prompt, total_tokens: total } = isRecord(usage) ? usage : {};
  const tokens = typeof prompt === "number" ? prompt : 0;
  return { prompt_tokens: tokens, total_tokens: typeof total === "number" ? total : tokens };
}

function unexpected(): AppError {
  return new AppError("PROVIDER_ERROR", "The server of the model answered with an error");
}
