import type { PromptPart } from "@swarmbase/sdk";
import type { ModelMessage, ModelToolCall } from "../providers/model-port.ts";
import type { ConversationWindow } from "./choose-window.ts";
import { type PastCall, renderCalls } from "./past-calls.ts";

/** A message of the conversation as one agent reads it. */
export interface Line {
  readonly role: "user" | "assistant";
  readonly text: string;
  /** Of the author; null for own messages, and where only one person speaks with the agent. */
  readonly name: string | null;
  readonly source: PromptPart;
  /** Before the message. */
  readonly pastCalls: readonly PastCall[];
  /** The calls take the place of the text. */
  readonly areCallsAlone: boolean;
}

/** A text that nobody has said. */
export interface Note {
  readonly text: string;
  readonly source: PromptPart;
}

interface MergedMessage {
  readonly role: "user" | "assistant";
  content: string;
  starts?: number[];
  names?: string[];
  toolCalls?: readonly ModelToolCall[];
}

export interface MergedLines {
  /** Begins and ends with a user's message, and roles alternate apart from results of tools, as every vendor accepts. */
  readonly messages: ModelMessage[];
  /** For each of the messages, what it consists of. */
  readonly sources: readonly (readonly PromptPart[])[];
}

const SEPARATOR = "\n\n";

/** The messages of a call: the notes before, the lines of the window, and the note after if the last line is the agent's. */
export function mergeLines(
  lines: readonly Line[],
  { start, callsFrom, wholeFrom }: Pick<ConversationWindow, "start" | "callsFrom" | "wholeFrom">,
  notes: { readonly before: readonly Note[]; readonly after: Note },
): MergedLines {
  const merged: ModelMessage[] = [];
  const sources: PromptPart[][] = [];
  /** The last message, if text of the same role can be added to it. */
  let open: MergedMessage | null = null;
  const begin = (message: MergedMessage, parts: PromptPart[]): void => {
    open = message;
    merged.push(message);
    sources.push(parts);
  };
  // A note is not a message of the swarm, so it has no starts.
  const note = ({ text, source }: Note): void => {
    if (open === null) return begin({ role: "user", content: text, starts: [] }, [source]);
    open.content += SEPARATOR + text;
    sources.at(-1)?.push(source);
  };
  const add = ({ role, text, name, source }: Line): void => {
    if (open?.role !== role) return begin({ role, content: text, ...(name !== null && { names: [name] }) }, [source]);
    open.starts ??= [0];
    open.starts.push(open.content.length + SEPARATOR.length);
    open.content += SEPARATOR + text;
    if (name !== null) (open.names ??= []).push(name);
    sources.at(-1)?.push(source);
  };
  const call = (calls: readonly PastCall[], isCut: boolean): void => {
    const { toolCalls, results } = renderCalls(calls, isCut);
    if (open?.role !== "assistant") begin({ role: "assistant", content: "", starts: [] }, []);
    if (open !== null) open.toolCalls = toolCalls;
    merged.push(...results);
    sources.push(...results.map(() => []));
    open = null;
  };

  for (const one of notes.before) note(one);
  lines.slice(start).forEach((line, offset) => {
    const index = start + offset;
    const hasCalls = line.pastCalls.length > 0 && index >= callsFrom;
    if (hasCalls) call(line.pastCalls, index < wholeFrom);
    if (!hasCalls || !line.areCallsAlone) add(line);
  });
  if (merged.at(-1)?.role === "assistant")
    begin({ role: "user", content: notes.after.text, starts: [] }, [notes.after.source]);
  return { messages: merged, sources };
}
