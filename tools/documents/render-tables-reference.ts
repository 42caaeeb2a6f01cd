import { readTablesFile, type RecordedExchange, renderExchange, type TableDescription } from "@swarmbase/reference";
import type { EventType } from "@swarmbase/sdk";
import { EVENT_TYPES } from "@swarmbase/sdk";
import { renderTableColumns } from "./render-table-columns.ts";

const FOLDER = "docs/reference/tables";
const NOTICE =
  "<!-- Generated from the schema, its comments and a running service by `npm run generate -- reference`. Do not edit by hand. -->";

const INDEX_HEAD = `${NOTICE}

# Tables

This page is for developers who read and write rows. It lists the tables and views that clients can reach, under \`/rest/v1/<name>\`. [REST](rest.md) describes requests and responses,
[Tables](../guides/tables.md) shows how to use them, and [openapi.json](openapi.json) has the same in a machine-readable form. Each page lists
columns, who may read and write, the events that changes raise, and requests that were sent to a running service, with ids, times and
secrets replaced.

| name | | users can |
|---|---|---|
`;

const INDEX_TAIL = `
Clients call four functions of the service's own schema by name: \`POST /rest/v1/rpc/webhook_health\` and
\`POST /rest/v1/rpc/webhook_attempt_counts\`, which [Webhooks](../guides/webhooks.md) describes, \`POST /rest/v1/rpc/emit_event\`, which [Send your own events](../guides/app-events.md) describes, and \`POST /rest/v1/rpc/restore_agent_version\`, which [Agents](../guides/agents.md#versions) describes.
`;

const VERBS = { select: "read", insert: "insert", update: "update", delete: "delete" } as const;

const CALLERS_TEXT = `\`owner\` owns what the line is about: the swarm, agent, tool, webhook or profile. \`admin\`, \`member\` and \`viewer\` take part in the owner's
swarm with that role; \`invited\` has not accepted yet; \`stranger\` is any other user; \`anon\` has no user's token; \`service\` is the service
role. A line without further words is about the owner's own row.`;

/** What the cells of the access matrix mean. */
const CELLS: Readonly<Record<string, string>> = {
  yes: "yes",
  "-": "no row",
  no: "rejected",
  none: "not found",
  never: "never",
};

/** Pages of the table reference by path: an index, and a page for each table. */
export function tablePages(): Readonly<Record<string, () => string>> {
  const { tables, exchanges } = readTablesFile();
  return {
    [`${FOLDER}.md`]: () => renderIndex(tables),
    ...Object.fromEntries(
      tables.map((table) => [
        `${FOLDER}/${table.name}.md`,
        () =>
          renderTable(
            table,
            exchanges.filter((one) => one.table === table.name),
          ),
      ]),
    ),
  };
}

function renderIndex(tables: readonly TableDescription[]): string {
  const rows = tables.map((table) => {
    const verbs = table.operations.map((operation) => VERBS[operation]).join(", ");
    return `| [\`${table.name}\`](tables/${table.name}.md) | ${table.summary} | ${verbs} |\n`;
  });
  return `${INDEX_HEAD}${rows.join("")}${INDEX_TAIL}`;
}

function renderTable(table: TableDescription, exchanges: readonly RecordedExchange[]): string {
  const sections = [
    `${NOTICE}\n\n# ${table.name}\n\n${table.summary} ${table.isView ? "A view. " : ""}[Guide](../../guides/${table.guide}.md).\n`,
    table.notes.map((note) => `- ${note}\n`).join(""),
    `## Columns\n\n${renderTableColumns(table)}`,
    renderAccess(table),
    renderEvents(table),
    `## Examples\n\n${exchanges.map(renderExample).join("\n")}`,
  ];
  return sections.filter((section) => section !== "").join("\n");
}

function renderAccess({ access }: TableDescription): string {
  const [first] = access;
  const callers = Object.keys(first?.cells ?? {});
  const lines = access.map(
    ({ operation, cells }) => `| ${operation} | ${callers.map((caller) => CELLS[cells[caller] ?? ""]).join(" | ")} |\n`,
  );
  const used = new Set(access.flatMap(({ cells }) => Object.values(cells)));
  const legend = [
    ...(used.has("-") ? ["`no row`: no error, and no row is seen or changed."] : []),
    ...(used.has("no") ? ["`rejected`: 403, or 401 for `anon`."] : []),
    ...(used.has("none") ? ["`not found`: the row refers to something that the caller cannot see."] : []),
    ...(used.has("never")
      ? ["`never`: the value is fixed, or set by the service, or the view cannot be written."]
      : []),
  ];
  return `## Who may read and write

| | ${callers.join(" | ")} |
|---|${"---|".repeat(callers.length)}
${lines.join("")}
${legend.join(" ")}
${CALLERS_TEXT}
`;
}

function renderEvents({ events, hasRealtime }: TableDescription): string {
  const types = EVENT_TYPES.filter((type) => events[type] !== undefined);
  const realtime = hasRealtime
    ? "[Realtime](../realtime.md) subscriptions deliver its changes."
    : "[Realtime](../realtime.md) subscriptions do not deliver its changes.";
  if (types.length === 0) return `## Events\n\nNo webhook event. ${realtime}\n`;
  const row = (type: EventType): string => `| [\`${type}\`](../events.md#${anchorOf(type)}) | ${events[type]} |\n`;
  return `## Events\n\n| event | raised by |\n|---|---|\n${types.map(row).join("")}\n${realtime}\n`;
}

/** As GitHub makes them of headings. */
function anchorOf(type: EventType): string {
  return type.replaceAll(".", "");
}

function renderExample(exchange: RecordedExchange): string {
  const answer = exchange.answer === null ? "" : `\n\`\`\`json\n${JSON.stringify(exchange.answer, null, 2)}\n\`\`\`\n`;
  return `\`\`\`sh\n${renderExchange(exchange)}\n\`\`\`\n\n${exchange.status}${answer === "" ? ", without a body" : ""}\n${answer}`;
}
