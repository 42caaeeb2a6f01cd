import type { ChatTransport, UIMessage, UIMessageChunk } from "ai";
import { describeToolError, submitToolResults } from "../client/client-tools.ts";
import type { FunctionsClient } from "../client/functions-client.ts";
import { invokeFunction } from "../client/invoke-function.ts";
import { listWaitingCalls, readUntilWaiting } from "../client/read-until-waiting.ts";
import { attach, respond } from "../client/respond.ts";
import type { RunStream } from "../client/run-stream.ts";
import type { AgentRespondApproveBody, AgentRespondSubmitToolResultsBody } from "../function-types/run-bodies.ts";
import { type Chunk, ChunkConverter } from "./chunk-converter.ts";
import { findUnfinishedRun, type TablesClient } from "./find-unfinished-run.ts";
import type { SwarmDataParts, SwarmMetadata, SwarmUIMessage } from "./swarm-ui-message.ts";

export interface SwarmChatTransportOptions {
  /** A supabase-js client with the session of the user. */
  readonly client: FunctionsClient & TablesClient;
  /** Default: the id of the chat is that of the swarm. */
  readonly swarmId?: string;
  /** One agent answers instead, in the private swarm of the user and the agent. */
  readonly agentId?: string;
  /** Include the reasoning of models, where the user may see it. Default: false. */
  readonly includeReasoning?: boolean;
  /** `stop()` of the chat ends the run, not only its stream. Default: true. */
  readonly cancelOnStop?: boolean;
  /** The run that a chat follows after a reload; null means none. Default: the oldest run of the swarm, or of the user with the agent, that has not ended and does not wait for a time or a signal. */
  findRun?(chatId: string): Promise<string | null>;
}

type SendOptions<Message extends UIMessage> = Parameters<ChatTransport<Message>["sendMessages"]>[0];
type ReconnectOptions = Parameters<ChatTransport<UIMessage>["reconnectToStream"]>[0];

/**
 * A transport for `useChat` of the AI SDK: messages go to a swarm, and the answers of its agents are streamed as one message. Members of
 * `body` of a request are passed on to `agent-respond` (`agent_ids`, `on_conflict`, `max_turns`, …).
 */
export class SwarmChatTransport<Message extends UIMessage = SwarmUIMessage> implements ChatTransport<Message> {
  /** A run is always read from its first event. */
  readonly resumeStreamIsReplay = true;
  readonly #options: SwarmChatTransportOptions;

  constructor(options: SwarmChatTransportOptions) {
    this.#options = options;
  }

  readonly sendMessages = async (options: SendOptions<Message>): Promise<ReadableStream<UIMessageChunk>> => {
    const { trigger, chatId, messages, messageId, abortSignal: signal, body } = options;
    const { client, includeReasoning = false, swarmId = chatId, agentId } = this.#options;
    const last = messages.at(-1);
    if (last?.role === "assistant" && trigger === "submit-message") return this.#continue(last, signal);
    const question = messages.findLast(({ role }) => role === "user");
    if (question === undefined) throw new TypeError("The chat has no message of the user");
    const stream = respond(
      client,
      {
        ...body,
        ...(agentId === undefined ? { swarm_id: swarmId } : { agent_id: agentId }),
        message: readText(question),
        include_reasoning: includeReasoning,
        // The same message again is the same run, unless a new answer is wanted or its text was edited.
        client_message_id: question.id,
        ...((trigger === "regenerate-message" || messageId === question.id) && { regenerate: true }),
      },
      { signal },
    );
    return this.#open(stream, { signal });
  };

  /** Follows a run that has not ended, if there is one. */
  readonly reconnectToStream = async (options: ReconnectOptions): Promise<ReadableStream<UIMessageChunk> | null> => {
    const { chatId, abortSignal: signal } = options;
    const { client, includeReasoning = false, swarmId = chatId, agentId = null } = this.#options;
    const runId = await (this.#options.findRun?.(chatId) ?? findUnfinishedRun(client, { swarmId, agentId }));
    if (runId === null) return null;
    return this.#open(attach(client, runId, { signal, include_reasoning: includeReasoning }), { signal });
  };

  /** The user has answered an approval, or the chat has executed a tool: reads on where the stream was left. */
  async #continue(answer: UIMessage, signal: AbortSignal | undefined): Promise<ReadableStream<UIMessageChunk>> {
    const { client, includeReasoning = false } = this.#options;
    const { runId, lastEventId, decisions, connectedIds, results: executed, toolCallIds } = readAnswer(answer);
    if (decisions.length + connectedIds.length + executed.length === 0)
      throw new TypeError("The last message is not of the user, and answers no approval and no tool call");
    const call = { run_id: runId };
    let run = await invokeFunction(client, "agent-respond", { action: "attach", ...call }, { signal });
    const pendingIds = new Set(run.pending_client_calls?.map((pending) => pending.tool_execution_id));
    const results = executed.filter(({ tool_execution_id: id }) => pendingIds.has(id));
    if (results.length > 0) run = await submitToolResults(client, { ...call, results }, { signal });
    if (decisions.length > 0)
      run = await invokeFunction(client, "agent-respond", { action: "approve", ...call, decisions }, { signal });
    // The run may wait again already, for calls that the message does not have yet, or with a question.
    const decidedIds = decisions.map((decision) => decision.tool_execution_id);
    if (listWaitingCalls(run).some((id) => toolCallIds.includes(id) && !decidedIds.includes(id)))
      return createEmptyStream();
    const stream = attach(client, runId, { lastEventId, signal, include_reasoning: includeReasoning });
    return this.#open(stream, {
      signal,
      knownTools: toolCallIds,
      isNewStep: results.length > 0,
    });
  }

  /** Rejects when the service rejects the call; later errors are those of the stream. */
  async #open(stream: RunStream, { signal, ...parts }: OpenOptions): Promise<ReadableStream<UIMessageChunk>> {
    const { client, cancelOnStop = true } = this.#options;
    const events = readUntilWaiting(client, stream);
    const first = await events.next();
    const stop = (): void => {
      if (!cancelOnStop || stream.runId === null) return;
      // A run that has ended meanwhile cannot be cancelled.
      invokeFunction(client, "agent-respond", { action: "cancel", run_id: stream.runId }).catch(() => {});
    };
    signal?.addEventListener("abort", stop, { once: true });
    const close = (): void => signal?.removeEventListener("abort", stop);
    return createChunkStream(stream, events, { ...parts, first, close });
  }
}

/** Other calls of the run still wait. */
function createEmptyStream(): ReadableStream<UIMessageChunk> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue({ type: "start" });
      controller.close();
    },
  });
}

interface StreamParts {
  readonly knownTools?: readonly string[];
  /** Tool calls of earlier steps are not executed or submitted again. */
  readonly isNewStep?: boolean;
}

interface OpenOptions extends StreamParts {
  readonly signal: AbortSignal | undefined;
}

type Events = ReturnType<typeof readUntilWaiting>;

interface ChunkSource extends StreamParts {
  readonly first: Awaited<ReturnType<Events["next"]>>;
  close(): void;
}

function createChunkStream(
  stream: RunStream,
  events: Events,
  { first, knownTools = [], isNewStep = false, close }: ChunkSource,
): ReadableStream<UIMessageChunk> {
  const converter = new ChunkConverter(knownTools);
  let next: Promise<ChunkSource["first"]> | null = Promise.resolve(first);
  let hasStarted = false;
  return new ReadableStream<UIMessageChunk>({
    async pull(controller) {
      const enqueue = (chunks: readonly Chunk[]): void => {
        for (const chunk of chunks) controller.enqueue(chunk);
      };
      for (let isFed = false; !isFed; ) {
        const step = await (next ?? events.next());
        next = null;
        if (step.done === true) {
          if (step.value !== null) enqueue(converter.convertWaiting(step.value));
          enqueue([{ type: "message-metadata", messageMetadata: { lastEventId: stream.lastEventId } }]);
          close();
          controller.close();
          return;
        }
        const { value: event } = step;
        if (!hasStarted && "swarm_id" in event.data) {
          hasStarted = true;
          const { run_id: runId, swarm_id: swarmId } = event.data;
          enqueue([{ type: "start", messageMetadata: { runId, swarmId } }]);
          if (isNewStep) enqueue([{ type: "start-step" }]);
        }
        const chunks = converter.convert(event);
        enqueue(chunks);
        isFed = chunks.length > 0;
      }
    },
    async cancel() {
      close();
      await events.return(null);
    },
  });
}

/** The text of a message of the user. */
function readText({ parts }: UIMessage): string {
  const other = parts.find(({ type }) => type !== "text");
  if (other !== undefined) throw new TypeError(`A message to a swarm has text only, not a part of type ${other.type}`);
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

interface Answer {
  readonly runId: string;
  readonly lastEventId: number;
  readonly decisions: AgentRespondApproveBody["decisions"];
  /** The calls for which the user has signed in, which needs no decision. */
  readonly connectedIds: readonly string[];
  /** Of the tools that the chat executed, also in earlier steps. */
  readonly results: AgentRespondSubmitToolResultsBody["results"];
  readonly toolCallIds: readonly string[];
}

/** What the user has decided about the tool calls of an answer, what the chat has executed, and where the stream was left. */
function readAnswer({ metadata, parts }: UIMessage): Answer {
  const { runId = "", lastEventId = 0 } = (metadata ?? {}) as SwarmMetadata;
  const tools = parts.filter((part) => part.type === "dynamic-tool");
  const connectIds = parts.flatMap((part) => {
    if (part.type !== "data-question") return [];
    const { toolCallId, question } = part.data as SwarmDataParts["question"];
    return question.kind === "connect" ? [toolCallId] : [];
  });
  const answers = tools.flatMap((part) => {
    if (part.state !== "approval-responded") return [];
    const { approved, reason } = part.approval;
    return [{ tool_execution_id: part.toolCallId, approved, reason }];
  });
  const [connected = [], decisions = []] = [true, false].map((isConnected) =>
    answers.filter(({ tool_execution_id: id, approved }) => (approved && connectIds.includes(id)) === isConnected),
  );
  const connectedIds = connected.map(({ tool_execution_id: id }) => id);
  const results = tools.flatMap((part): Answer["results"] => {
    const { toolCallId: tool_execution_id, providerExecuted = false } = part;
    if (providerExecuted) return [];
    if (part.state === "output-available") return [{ tool_execution_id, output: part.output ?? null }];
    return part.state === "output-error" ? [{ tool_execution_id, error: describeToolError(part.errorText) }] : [];
  });
  return {
    runId,
    lastEventId,
    decisions,
    connectedIds,
    results,
    toolCallIds: tools.map(({ toolCallId }) => toolCallId),
  };
}
