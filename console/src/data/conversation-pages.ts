import type { InfiniteData } from "@tanstack/react-query";
import type { Row } from "./client.ts";

export type Message = Row<"messages">;

/** A page of a conversation, the newest message first. */
export interface MessagePage {
  readonly rows: readonly Message[];
  readonly hasOlder: boolean;
}

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
