import { escapeHtml } from "../html/index.ts";
import type { ConsoleAnswer } from "./console-module.ts";
import { PAGE_HEADERS } from "./page-headers.ts";

export interface Notice {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  /** The browser asks again after so many seconds; null where asking again is of no use. */
  readonly refreshSeconds: number | null;
}

/** In place of the console, without script or style of its own, since the policy of the console holds here too. */
export function renderNotice({ status, title, text, refreshSeconds }: Notice): ConsoleAnswer {
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Swarmbase</title>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
</main>
</body>
</html>
`;
  return {
    status,
    headers: {
      ...PAGE_HEADERS,
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      ...(refreshSeconds !== null && { refresh: String(refreshSeconds), "retry-after": String(refreshSeconds) }),
    },
    body: Buffer.from(page),
  };
}
