import type { InfiniteData } from "@tanstack/react-query";
import type { Row } from "./client.ts";

export type Message = Row<"messages">;

/** A stretch of a conversation, newest first. */
export interface MessagePage {
  readonly rows: readonly Message[];
  readonly hasOlder: boolean;
}

/** The newest page comes first. */
export type MessagePages = InfiniteData<MessagePage, unknown>;

/** Puts messages where they belong by `seq`, in place of what was known of them. Those before the oldest page are left out. */
export function mergeMessages(cached: MessagePages, messages: readonly Message[]): MessagePages {
  const news = new Map(messages.map((message) => [message.id, message]));
  const pages = cached.pages.map((page) => {
    if (!page.rows.some(({ id }) => news.has(id))) return page;
    const rows = page.rows.map((row) => {
      const found = news.get(row.id);
      news.delete(row.id);
      return found ?? row;
    });
    return { ...page, rows };
  });
  for (const message of news.values()) {
    const at = findPage(pages, message.seq);
    const page = pages[at];
    if (page === undefined) continue;
    const before = page.rows.findIndex(({ seq }) => seq < message.seq);
    const place = before === -1 ? page.rows.length : before;
    pages[at] = { ...page, rows: page.rows.toSpliced(place, 0, message) };
  }
  return { ...cached, pages };
}

/** The page that a new message belongs to, or -1 when that page has not been read yet. */
function findPage(pages: readonly MessagePage[], seq: number): number {
  const found = pages.findIndex(({ rows }) => seq > (rows.at(-1)?.seq ?? 0));
  if (found !== -1) return found;
  return pages.at(-1)?.hasOlder === false ? pages.length - 1 : -1;
}

/** Oldest first, as people read. */
export function listMessages(cached: MessagePages): readonly Message[] {
  return cached.pages.flatMap(({ rows }) => rows).toReversed();
}
