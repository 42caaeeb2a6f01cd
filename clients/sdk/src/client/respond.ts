import type {
  AgentRespondAskBody,
  AgentRespondAskOneAgentBody,
  AgentRespondAttachBody,
  AgentRespondConverseBody,
} from "../function-types/run-bodies.ts";
import { type AnswerSchema, toJsonSchema } from "./answer-schema.ts";
import { type ClientTools, createToolRunner, describeClientTools } from "./client-tools.ts";
import type { FunctionsClient } from "./functions-client.ts";
import { createRandomId } from "./random-id.ts";
import { RunStream, type StreamOptions } from "./run-stream.ts";
import { StructuredStream } from "./structured-stream.ts";

export interface RespondOptions extends StreamOptions {
  /** Up to 255 characters. With the same key and body, a second call within a day returns the stream of the same run. Default: a new one. */
  readonly idempotencyKey?: string;
}

type Without<Body, Name extends string> = Body extends unknown ? Omit<Body, Name> : never;
export type RespondBody = Without<
  AgentRespondAskBody | AgentRespondAskOneAgentBody | AgentRespondConverseBody,
  "stream" | "background"
>;

interface TypedOptions {
  readonly schema?: AnswerSchema | undefined;
  readonly tools?: ClientTools | undefined;
}

/**
 * Sends a message to a swarm, or to one agent (`agent_id`), and returns the stream of the replies. The call is made when the stream
 * is read:
 *
 * ```ts
 * for await (const event of respond(supabase, { swarm_id, message: "Is the bridge open?" })) {
 *   if (event.type === "message.delta") console.log(event.data.delta);
 * }
 * ```
 *
 * With a schema (zod 4.2, another library with Standard JSON Schema, or a JSON Schema) the agents answer with JSON, and the
 * stream has typed values:
 *
 * ```ts
 * const schema = z.object({ isOpen: z.boolean() });
 * const { data } = await respond(supabase, { swarm_id, message: "Is the bridge open?", schema }).result();
 * ```
 *
 * With tools, the models can call functions of this client while the stream is read. Their results are submitted, and the run
 * continues:
 *
 * ```ts
 * const locate = {
 *   description: "Returns the position of the user.",
 *   schema: z.object({ precise: z.boolean() }),
 *   execute: async ({ precise }) => getPosition({ precise }),
 * };
 * const run = await respond(supabase, { swarm_id, message: "What is near me?", tools: { locate } }).result();
 * ```
 */
export function respond<S extends AnswerSchema, T extends Record<string, AnswerSchema>>(
  client: FunctionsClient,
  body: Without<RespondBody, "response_schema" | "client_tools"> & {
    readonly schema: S;
    readonly tools?: ClientTools<T>;
  },
  options?: RespondOptions,
): StructuredStream<S>;
export function respond<T extends Record<string, AnswerSchema>>(
  client: FunctionsClient,
  body: Without<RespondBody, "client_tools"> & { readonly schema?: undefined; readonly tools: ClientTools<T> },
  options?: RespondOptions,
): RunStream;
export function respond(
  client: FunctionsClient,
  body: RespondBody & { readonly schema?: undefined; readonly tools?: undefined },
  options?: RespondOptions,
): RunStream;
export function respond(
  client: FunctionsClient,
  { schema, tools, ...given }: RespondBody & TypedOptions,
  options: RespondOptions = {},
): RunStream | StructuredStream<AnswerSchema> {
  const body = {
    ...given,
    ...(schema !== undefined && { response_schema: toJsonSchema(schema) }),
    ...(tools !== undefined && { client_tools: describeClientTools(tools) }),
  };
  const { include_reasoning, user_id } = body;
  const { signal } = options;
  const runner = tools === undefined ? null : createToolRunner(client, tools, { userId: user_id, signal });
  const stream = new RunStream(
    client,
    {
      runId: null,
      lastEventId: 0,
      start: {
        body: { ...body, stream: true },
        headers: { "idempotency-key": options.idempotencyKey ?? createRandomId() },
      },
      attach: { include_reasoning, user_id },
      ...(runner !== null && { onEvent: (event) => runner.take(event) }),
    },
    runner === null ? options : { ...options, signal: runner.signal },
  );
  return schema === undefined ? stream : new StructuredStream(stream, schema);
}

export interface AttachOptions extends StreamOptions, Pick<AgentRespondAttachBody, "include_reasoning" | "user_id"> {
  /** The last event that was received. Default: 0, all events of the run. */
  readonly lastEventId?: number;
}

/** Returns the stream of a run that was started before, by this or another client. */
export function attach(client: FunctionsClient, runId: string, options: AttachOptions = {}): RunStream {
  const { lastEventId = 0, include_reasoning, user_id } = options;
  return new RunStream(client, { runId, lastEventId, start: null, attach: { include_reasoning, user_id } }, options);
}
