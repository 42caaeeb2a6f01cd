import type { ListedDelivery } from "./listed-delivery.ts";

/** The cached pages of a list. */
export interface DeliveryPages {
  readonly pages: readonly (readonly ListedDelivery[])[];
  readonly pageParams: readonly unknown[];
}

/**
 * Merges updated rows into a list without reloading its pages: replaces listed rows and prepends newer ones. When there are
 * more new rows than one response holds, the list starts again from these rows, because it would otherwise have a gap.
 */
export function mergeUpdates(shown: DeliveryPages, updates: readonly ListedDelivery[], size: number): DeliveryPages {
  const [top = []] = shown.pages;
  const known = new Map(shown.pages.flat().map((row) => [row.id, row]));
  const newest = top[0];
  const fresh = updates.filter((row) => !known.has(row.id) && (newest === undefined || isNewer(row, newest)));
  if (fresh.length >= size) return { pages: [fresh], pageParams: [null] };
  const changed = new Map(updates.filter(({ id }) => known.has(id)).map((row) => [row.id, row]));
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
