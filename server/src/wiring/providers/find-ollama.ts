import { createAddressPolicy, isLoopbackHost, openGuardedFetch } from "@swarmbase/guarded-fetch";
import type { Environment } from "../../config/index.ts";
import { isRecord } from "../../json/index.ts";
import type { FoundOllama } from "../../agents/index.ts";

const DEFAULT_HOST = "127.0.0.1:11434";
/** An Ollama that runs answers at once, on a busy machine later. The database starts meanwhile; the start does not wait for one that hangs. */
const TIMEOUT_MS = 2_000;
const MAX_MODELS = 100;
const MODEL_NAME = /^[\w.:/-]{1,200}$/;
/** Models that answer nothing. */
const EMBEDDING = /embed|bert|bge-|minilm/i;

/** Asks an Ollama on this machine for its models. Null means that there is none, it does not answer in time, or it has no model. */
export async function findOllama(environment: Environment): Promise<FoundOllama | null> {
  const origin = originOf(environment["OLLAMA_HOST"]?.trim() || DEFAULT_HOST);
  if (origin === null) return null;
  const guarded = openGuardedFetch({
    policy: createAddressPolicy({ allowedCidrs: [] }),
    ca: [],
    connectionsPerOrigin: 1,
    exemptUrls: [origin],
  });
  try {
    const response = await guarded.fetch(`${origin}/api/tags`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const models = response.ok ? readModels(await response.json()) : [];
    return models.length === 0 ? null : { baseUrl: `${origin}/v1`, models };
  } catch {
    return null;
  } finally {
    await guarded.close();
  }
}

/** Of this machine alone; the address that a server listens at can be any of them. */
function originOf(host: string): string | null {
  const url = URL.parse(host.includes("://") ? host : `http://${host}`);
  if (url === null || url.protocol !== "http:") return null;
  const { hostname, port } = url;
  const isAny = hostname === "0.0.0.0" || hostname === "[::]";
  if (!isAny && !isLoopbackHost(hostname.replace(/^\[|\]$/g, ""))) return null;
  return `http://${isAny ? "127.0.0.1" : hostname}:${port === "" ? "11434" : port}`;
}

function readModels(body: unknown): readonly string[] {
  const listed = isRecord(body) && Array.isArray(body["models"]) ? body["models"].slice(0, MAX_MODELS) : [];
  const names = listed.map((model: unknown) => (isRecord(model) ? model["name"] : null));
  return names
    .filter((name) => typeof name === "string")
    .filter((name) => MODEL_NAME.test(name) && !EMBEDDING.test(name));
}
