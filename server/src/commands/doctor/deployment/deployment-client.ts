import { findOutboundFault } from "@swarmbase/guarded-fetch";
import { openServiceFetch } from "../../extension-command-context.ts";

export interface DeploymentOptions {
  /** `https:`, without a slash at its end. */
  readonly url: string;
  /** Certificate authorities in PEM, trusted in addition to those of the system. */
  readonly ca: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface DeploymentResponse {
  /** 0 when there is no complete response of a limited size in time; `message` says why. */
  readonly status: number;
  readonly message: string;
  readonly headers: Headers;
  /** Null when it is no JSON. */
  readonly body: unknown;
}

export type Ask = (path: string, headers?: Readonly<Record<string, string>>) => Promise<DeploymentResponse>;

const MAX_BYTES = 1024 * 1024;

export async function withDeployment(options: DeploymentOptions, work: (ask: Ask) => Promise<void>): Promise<void> {
  const { url, timeoutMs, signal } = options;
  const service = openServiceFetch(options);
  try {
    await work(async (path, headers = {}) => {
      try {
        const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
        const response = await service.fetch(`${url}${path}`, { headers, signal: deadline });
        const body = parse(await readText(response));
        const reason = pick(body, "error", "message") ?? pick(body, "message");
        const message = typeof reason === "string" ? reason : "no reason";
        return { status: response.status, message, headers: response.headers, body };
      } catch (error) {
        signal.throwIfAborted();
        return { status: 0, message: describeFailure(error, timeoutMs), headers: new Headers(), body: null };
      }
    });
  } finally {
    await service.close();
  }
}

export function describeFailure(error: unknown, timeoutMs: number): string {
  if (error instanceof RangeError) return error.message;
  const { code, message } = findOutboundFault(error);
  return code === "aborted" ? `Nothing complete came within ${timeoutMs / 1_000} seconds.` : message;
}

/** The member at the path in a value that somebody else has sent; undefined when there is none. */
export function pick(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce(
    (at, name) => (at instanceof Object && Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined),
    value,
  );
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new RangeError("The response is larger than 1 MiB.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
