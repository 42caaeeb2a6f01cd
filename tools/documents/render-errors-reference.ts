import { ERROR_CODES } from "@swarmbase/sdk";

const INTRODUCTION = `# Error codes

This page is for developers who handle errors. It lists every code with its status and what it means.

The body of every error is a JSON object with \`code\`, \`message\`, \`details\`, \`hint\` and, for the codes below, \`error\`; members without
a value are \`null\`. The code decides the status.

\`\`\`json
{"error":"Agent not found","code":"AGENT_NOT_FOUND","message":"…","details":null,"hint":null}
\`\`\`

\`VALIDATION_ERROR\` carries \`"data": null\` and an object in \`error\`, with the same \`code\`, \`message\` and \`details\` again at the
top level. \`details\` maps each field to a message; nested fields are dotted (\`settings.temperature\`) and rows of an array are
counted from zero (\`2.name\`).

\`RATE_LIMITED\` adds \`retry_after\` in seconds, also sent as \`Retry-After\`.

Under \`/rest/v1\`, errors without a code below keep that of PostgREST (\`PGRST116\`) or PostgreSQL (an SQLSTATE such as \`23505\`) and have
exactly the four members of PostgREST:

\`\`\`json
{"code":"23505","message":"duplicate key value violates unique constraint …","details":"Key (id)=(1) already exists.","hint":null}
\`\`\`

Answers with status 401, 403 or 429 always have a code below, also when a function of the database raised the status. If PostgREST,
PostgreSQL or GoTrue has a code of its own for a case, \`Proxy-Status\` contains it. An SQLSTATE behind a code below is in \`details\` too,
as \`"SQLSTATE 42501"\`, unless the error has other details.

Each response has an \`X-Request-Id\`; the server's log has a line with the same id. A service that shows its documentation names the page
about the code, relative to the address of the request:

\`\`\`http
Link: </docs/reference/errors#agent_not_found>; rel="help"
\`\`\`

| Code | Status | Meaning |
|---|---|---|
`;

/** The text of `docs/reference/errors.md`; a check compares the two. */
export function renderErrorsReference(): string {
  const rows = Object.entries(ERROR_CODES)
    .sort(([leftCode, left], [rightCode, right]) => left.status - right.status || (leftCode < rightCode ? -1 : 1))
    .map(([code, row]) => `| \`${code}\` | ${row.status} | ${row.meaning.replaceAll("|", "\\|")} |\n`);
  return INTRODUCTION + rows.join("");
}
