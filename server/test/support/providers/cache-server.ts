import { hash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { Cleanup } from "../database.ts";
import { WIRE } from "./wire.ts";
import type { WireAnswer } from "./wire-answer.ts";
import { failWith, say } from "./wire-server.ts";

/** Untyped: a request of either vendor. */
type Body = ReturnType<typeof JSON.parse>;

export type CachingVendor = "openai" | "anthropic";

/** What a vendor counts of one call. `input` is all of it. */
interface CachedInput {
  readonly input: number;
  readonly cached: number;
  readonly written: number;
}

export interface CachedCall extends CachedInput {
  readonly body: Body;
}

export interface CacheServer {
  readonly url: string;
  readonly calls: Readonly<Record<CachingVendor, CachedCall[]>>;
  /** The time of its caches, which passes only here. */
  pass(seconds: number): void;
}

type PromptCache = (body: Body, nowMs: number) => CachedInput;

const LIFE_MS = 5 * 60_000;
const CHARS_PER_TOKEN = 4;
const MIN_TOKENS: Readonly<Record<CachingVendor, number>> = { openai: 1_024, anthropic: 4_096 };
const OPENAI_STEP = 128;
const MAX_MARKS = 4;
/** From a mark, Anthropic looks for what earlier calls have marked in so many blocks before it. */
const LOOK_BACK = 20;

/** What was cached and is not yet forgotten, under a hash of all that it begins with. Reading keeps it. */
function openEntries(): { has(key: string, nowMs: number): boolean; keep(key: string, nowMs: number): void } {
  const endsAtMs = new Map<string, number>();
  return {
    has: (key, nowMs) => (endsAtMs.get(key) ?? 0) > nowMs,
    keep: (key, nowMs) => void endsAtMs.set(key, nowMs + LIFE_MS),
  };
}

/** OpenAI: the beginning of tools and messages, at least 1,024 tokens, in steps of 128, without any mark. */
function openOpenaiCache(): PromptCache {
  const entries = openEntries();
  return (body, nowMs) => {
    const prompt = [...(body.tools ?? []), ...body.messages].map((part: Body) => JSON.stringify(part)).join("\n");
    const input = Math.ceil(prompt.length / CHARS_PER_TOKEN);
    const known: number[] = [];
    let key = "";
    for (let tokens = OPENAI_STEP; tokens <= input; tokens += OPENAI_STEP) {
      const end = tokens * CHARS_PER_TOKEN;
      key = hash("sha256", key + prompt.slice(end - OPENAI_STEP * CHARS_PER_TOKEN, end));
      if (tokens < MIN_TOKENS.openai) continue;
      if (entries.has(key, nowMs)) known.push(tokens);
      entries.keep(key, nowMs);
    }
    return { input, cached: known.at(-1) ?? 0, written: 0 };
  };
}

/** Anthropic: what ends with a mark, at most four, at least 4,096 tokens with Claude Haiku 4.5: tools, then system, then messages. */
function openAnthropicCache(): PromptCache {
  const entries = openEntries();
  return (body, nowMs) => {
    let key = "";
    let input = 0;
    const blocks = listBlocks(body).map(({ mark, text }) => {
      key = hash("sha256", key + text);
      input += Math.ceil(text.length / CHARS_PER_TOKEN);
      return { key, tokens: input, isMarked: mark !== undefined };
    });
    const marks = blocks.flatMap(({ isMarked }, index) => (isMarked ? [index] : []));
    if (marks.length > MAX_MARKS) throw new RangeError("A maximum of 4 blocks with cache_control may be provided.");
    let cached = 0;
    for (const mark of marks) {
      const near = blocks.slice(Math.max(0, mark - LOOK_BACK), mark + 1);
      const found = near.findLast((block) => entries.has(block.key, nowMs));
      if (found === undefined) continue;
      entries.keep(found.key, nowMs);
      cached = Math.max(cached, found.tokens);
    }
    const kept = blocks.filter(({ isMarked, tokens }) => isMarked && tokens >= MIN_TOKENS.anthropic);
    for (const block of kept) entries.keep(block.key, nowMs);
    return { input, cached, written: Math.max(0, (kept.at(-1)?.tokens ?? 0) - cached) };
  };
}

function listBlocks({ tools = [], system = [], messages }: Body): { readonly mark: unknown; readonly text: string }[] {
  const said = messages.flatMap(({ role, content }: Body) =>
    (typeof content === "string" ? [{ type: "text", text: content }] : content).map((block: Body) => ({
      role,
      ...block,
    })),
  );
  return [...tools, ...(typeof system === "string" ? [{ text: system }] : system), ...said].map(
    ({ cache_control: mark, ...block }: Body) => ({ mark, text: JSON.stringify(block) }),
  );
}

/** Both vendors on loopback, each with the documented rules of its cache. */
export async function openCacheServer(t: Cleanup, answer: (body: Body) => WireAnswer): Promise<CacheServer> {
  const caches = { openai: openOpenaiCache(), anthropic: openAnthropicCache() };
  const calls: CacheServer["calls"] = { openai: [], anthropic: [] };
  let nowMs = LIFE_MS;
  const server = createServer((request, response) => {
    void (async () => {
      const body: Body = await json(request);
      const vendor = request.url?.endsWith("/messages") === true ? "anthropic" : "openai";
      try {
        const counted = caches[vendor](body, nowMs);
        calls[vendor].push({ ...counted, body });
        await say(withUsage(vendor, WIRE[vendor](answer(body)), counted))(response);
      } catch (error) {
        await failWith(400, { type: "error", error: { type: "invalid_request_error", message: String(error) } })(
          response,
        );
      }
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    pass: (seconds) => void (nowMs += seconds * 1_000),
  };
}

/** Replaces the usage of an answer. */
function withUsage(
  vendor: CachingVendor,
  frames: readonly string[],
  { input, cached, written }: CachedInput,
): readonly string[] {
  const [from, to] =
    vendor === "openai"
      ? [
          '"prompt_tokens":12,"completion_tokens":7,"total_tokens":19,"prompt_tokens_details":{"cached_tokens":4}',
          `"prompt_tokens":${input},"completion_tokens":7,"total_tokens":${input + 7},"prompt_tokens_details":{"cached_tokens":${cached}}`,
        ]
      : [
          '"input_tokens":8,"cache_read_input_tokens":4',
          `"input_tokens":${input - cached - written},"cache_read_input_tokens":${cached},"cache_creation_input_tokens":${written}`,
        ];
  return frames.map((frame) => frame.replace(from, to));
}
