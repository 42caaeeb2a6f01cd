export type RedirectFields = Readonly<Record<string, string>>;

/** Beside what the query holds already. */
export function addToQuery(address: string, fields: RedirectFields): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  return url.href;
}

/** In place of what the fragment held: a client reads it as a whole. */
export function addToFragment(address: string, fields: RedirectFields): string {
  const url = new URL(address);
  url.hash = new URLSearchParams({ ...fields }).toString();
  return url.href;
}
