import { ERROR_CODES } from "@swarmbase/sdk";

const INTRODUCTION = `# Error codes

Every error answer is a JSON object with \`code\`, \`message\`, \`details\`, \`hint\` and \`error\`; members without a value are
\`null\`. The code decides the status.

\`\`\`json
{"error":"Agent not found","code":"AGENT_NOT_FOUND","message":"…","details":null,"hint":null}
\`\`\`

\`VALIDATION_ERROR\` carries \`"data": null\` and an object in \`error\`, with the same \`code\`, \`message\` and \`details\` again at the
top level. \`details\` maps each field to a message; nested fields are dotted (\`settings.temperature\`) and rows of an array are
counted from zero (\`2.name\`).

\`RATE_LIMITED\` adds \`retry_after\` in seconds, also sent as \`Retry-After\`. Errors of PostgreSQL that have no name below keep
their SQLSTATE as \`code\`. Where PostgREST or GoTrue has a code of its own for the case, it travels in \`Proxy-Status\`.

Each answer has an \`X-Request-Id\`; the server's log has a line with the same id.

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
