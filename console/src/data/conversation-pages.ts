import type { InfiniteData } from "@tanstack/react-query";
import type { Row } from "./client.ts";

export type Message = Row<"messages">;

/** Up to where all messages and their changes are known. */
interface KnownUntil {
  readonly seq: number;
  readonly at: string;
}

/** A page of a conversation, the newest message first. */
export interface MessagePage {
  readonly rows: readonly Message[];
  readonly hasOlder: boolean;
  /** Of the newest page. Streams deliver replies before earlier messages of others are known, so they do not count. */
  readonly known?: KnownUntil;
}

export const NOTHING_KNOWN: KnownUntil = { seq: 0, at: "1970-01-01T00:00:00Z" };

/** The newest page first. */
export type MessagePages = InfiniteData<MessagePage, unknown>;

/** Inserts messages by `seq`, or replaces those that are cached. Ignores messages before the oldest loaded page. */
export function mergeMessages(cached: MessagePages, messages: readonly Message[]): MessagePages {
  const received = new Map(messages.map((message) => [message.id, message]));
  const pages = cached.pages.map((page) => {
    if (!page.rows.some(({ id }) => received.has(id))) return page;
    const rows = page.rows.map((row) => {
      const found = received.get(row.id);
      received.delete(row.id);
      return found ?? row;
    });
    return { ...page, rows };
  });
  for (const message of received.values()) {
    const index = findPage(pages, message.seq);
    const page = pages[index];
    if (page === undefined) continue;
    const before = page.rows.findIndex(({ seq }) => seq < message.seq);
    const place = before === -1 ? page.rows.length : before;
    pages[index] = { ...page, rows: page.rows.toSpliced(place, 0, message) };
  }
  return { ...cached, pages };
}

export function extendKnown({ seq, at }: KnownUntil, rows: readonly Message[]): KnownUntil {
  const times = rows.map(({ created_at: made, edited_at: edited, deleted_at: gone }) => gone ?? edited ?? made);
  return {
    seq: Math.max(seq, ...rows.map((row) => row.seq)),
    at: times.reduce((latest, time) => (time > latest ? time : latest), at),
  };
}

/** Records that no message or change before these is missing. */
export function markKnown(cached: MessagePages, messages: readonly Message[]): MessagePages {
  const [newest, ...older] = cached.pages;
  if (newest === undefined || messages.length === 0) return cached;
  const known = extendKnown(newest.known ?? NOTHING_KNOWN, messages);
  return { ...cached, pages: [{ ...newest, known }, ...older] };
}

/** The index of the page of a new message, or -1 if that page is not loaded. */
function findPage(pages: readonly MessagePage[], seq: number): number {
  const found = pages.findIndex(({ rows }) => seq > (rows.at(-1)?.seq ?? 0));
  if (found !== -1) return found;
  return pages.at(-1)?.hasOlder === false ? pages.length - 1 : -1;
}

/** All loaded messages, the oldest first. */
export function listMessages(cached: MessagePages): readonly Message[] {
  return cached.pages.flatMap(({ rows }) => rows).toReversed();
}
