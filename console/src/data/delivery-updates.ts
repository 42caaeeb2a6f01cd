import type { ListedDelivery } from "./listed-delivery.ts";

/** The pages of a list as the cache keeps them. */
export interface DeliveryPages {
  readonly pages: readonly (readonly ListedDelivery[])[];
  readonly pageParams: readonly unknown[];
}

/**
 * Puts news into a list without asking for its pages again: rows that are shown are replaced where they stand, newer ones come to
 * the top. Where more has happened than one answer holds, the list begins anew, because a gap would go unnoticed.
 */
export function mergeNews(shown: DeliveryPages, news: readonly ListedDelivery[], size: number): DeliveryPages {
  const [top = []] = shown.pages;
  const known = new Map(shown.pages.flat().map((row) => [row.id, row]));
  const newest = top[0];
  const fresh = news.filter((row) => !known.has(row.id) && (newest === undefined || isNewer(row, newest)));
  if (fresh.length >= size) return { pages: [fresh], pageParams: [null] };
  const changed = new Map(news.filter(({ id }) => known.has(id)).map((row) => [row.id, row]));
  const isSame = [...changed].every(([id, row]) => isSameState(row, known.get(id)));
  if (fresh.length === 0 && isSame) return shown;
  const pages = shown.pages.map((page) => page.map((row) => changed.get(row.id) ?? row));
  return { ...shown, pages: [[...fresh, ...(pages[0] ?? [])], ...pages.slice(1)] };
}

function isNewer(left: ListedDelivery, right: ListedDelivery): boolean {
  if (left.created_at !== right.created_at) return left.created_at > right.created_at;
  return left.id > right.id;
}

function isSameState(left: ListedDelivery, right: ListedDelivery | undefined): boolean {
  return (
    left.status === right?.status &&
    left.attempts === right.attempts &&
    left.next_retry_at === right.next_retry_at &&
    left.scheduled_for === right.scheduled_for
  );
}
