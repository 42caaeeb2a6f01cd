import type { Run, RunResponse } from "../function-types/run-answers.ts";
import type { Json } from "../json.ts";
import { type AnswerOf, type AnswerSchema, AnswerSchemaError, type DeepPartial, parseAnswer } from "./answer-schema.ts";
import { parsePartialJson } from "./parse-partial-json.ts";
import type { RunStream } from "./run-stream.ts";
import type { RunStreamEvent } from "./run-stream-event.ts";

interface AnswerSource {
  readonly agentId: string | null;
  readonly turnId: string;
  readonly messageId: string;
}

/** A value as far as it is written, or the whole value. */
export type StructuredAnswer<T> = AnswerSource &
  ({ readonly isComplete: false; readonly data: DeepPartial<T> } | { readonly isComplete: true; readonly data: T });

/** A run whose responses have typed values. */
export interface StructuredRun<T> extends Omit<Run, "responses"> {
  readonly responses: readonly (Omit<RunResponse, "data"> & { readonly data: T | null })[];
  /** The value of the last response that has one. */
  readonly data: T;
}

/** Parsing a text again with each piece would take quadratic time: a long text is parsed again when it has grown by a part. */
const GROWTH = 64;

/** The answers of a run that was started with a schema. */
export class StructuredStream<S extends AnswerSchema, T = AnswerOf<S>> implements AsyncIterable<StructuredAnswer<T>> {
  readonly #schema: S;
  /** The events of the run. Reading them here takes them from the loop over the answers. */
  readonly events: RunStream;

  constructor(events: RunStream, schema: S) {
    this.events = events;
    this.#schema = schema;
  }

  get runId(): string | null {
    return this.events.runId;
  }

  /** Reads the rest of the stream. Rejects with an `AnswerSchemaError` if no response has a value. */
  async result(): Promise<StructuredRun<T>> {
    const run = await this.events.result();
    const responses = await Promise.all(
      run.responses.map(async (response) => ({
        ...response,
        data: response.data === null ? null : await this.#parse(response.data),
      })),
    );
    const data = responses.filter((response) => response.data !== null).at(-1)?.data ?? null;
    if (data === null) throw new AnswerSchemaError(run.errors[0]?.message ?? `No agent answered: ${run.stop_reason}`);
    return { ...run, responses, data };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StructuredAnswer<T>, void, undefined> {
    const drafts = new Map<string, Draft>();
    for await (const event of this.events) {
      const answer = await this.#read(event, drafts);
      if (answer !== null) yield answer;
    }
  }

  async #read(event: RunStreamEvent, drafts: Map<string, Draft>): Promise<StructuredAnswer<T> | null> {
    switch (event.type) {
      case "turn.started": {
        const { agent_id: agentId, turn_id: turnId, message_id: messageId } = event.data;
        drafts.set(turnId, { source: { agentId, turnId, messageId }, text: "", parsedLength: 0, shown: "" });
        return null;
      }
      case "message.reset":
        return resetDraft(drafts.get(event.data.turn_id));
      case "turn.restarted":
        resetDraft(drafts.get(event.data.turn_id));
        return growDraft(drafts.get(event.data.turn_id), event.data.text);
      case "message.delta":
        return growDraft(drafts.get(event.data.turn_id), event.data.delta);
      case "message.created": {
        const { message, turn_id: turnId = "" } = event.data;
        if (message.data === null) return null;
        const { sender_id: agentId, id: messageId } = message;
        return { agentId, turnId, messageId, isComplete: true, data: await this.#parse(message.data) };
      }
      default:
        return null;
    }
  }

  #parse(data: Json): Promise<T> {
    return parseAnswer(this.#schema, data) as Promise<T>;
  }
}

interface Draft {
  readonly source: AnswerSource;
  text: string;
  parsedLength: number;
  /** The last partial value, as JSON. */
  shown: string;
}

function resetDraft(draft: Draft | undefined): null {
  if (draft !== undefined) Object.assign(draft, { text: "", parsedLength: 0, shown: "" });
  return null;
}

/** Null while there is nothing new to show. */
function growDraft<T>(draft: Draft | undefined, delta: string): StructuredAnswer<T> | null {
  if (draft === undefined || delta === "") return null;
  draft.text += delta;
  if (draft.text.length - draft.parsedLength < draft.parsedLength / GROWTH) return null;
  draft.parsedLength = draft.text.length;
  const value = parsePartialJson(draft.text);
  if (value === undefined) return null;
  const shown = JSON.stringify(value);
  if (shown === draft.shown) return null;
  draft.shown = shown;
  return { ...draft.source, isComplete: false, data: value as DeepPartial<T> };
}
