export interface PageLinks {
  readonly page: number;
  readonly perPage: number;
  readonly total: number;
  /** Further parameters of the request that the other pages need as well. */
  readonly further: Readonly<Record<string, string | undefined>>;
}

/**
 * The value of `Link`. The client splits it at ",", ";" and "=" and takes what follows the first "=" for the page, so
 * `page` comes first and everything else is percent-encoded.
 */
export function renderPageLinks({ page, perPage, total, further }: PageLinks): string {
  const last = Math.ceil(total / perPage);
  const rest = Object.entries({ per_page: String(perPage), ...further })
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `&${name}=${encodeURIComponent(value)}`)
    .join("");
  const link = (target: number, rel: string) => `</admin/users?page=${target}${rest}>; rel="${rel}"`;
  return page < last ? `${link(page + 1, "next")}, ${link(last, "last")}` : link(last, "last");
}
