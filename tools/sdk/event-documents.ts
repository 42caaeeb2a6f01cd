import {
  buildEventExample,
  buildEventSchema,
  EVENT_DESCRIPTIONS,
  EVENT_TYPES,
  EVENT_TYPES_BY_GROUP,
} from "@swarmbase/sdk";
import type { EventType, JsonSchema } from "@swarmbase/sdk";

const INTRODUCTION = `# Events

This page is for developers of webhook receivers. It lists every event with an example of its data and when it is raised.

A [webhook](../guides/webhooks.md) subscribes to event types. Each delivery is a POST with the envelope as its JSON body:

| member | |
|---|---|
| \`id\` | \`evt_\` and a UUID; the same on every attempt and for every webhook, so that you can recognise duplicates |
| \`type\` | one of the types below |
| \`created_at\` | the time of the event, ISO 8601 |
| \`api_version\` | the version that the webhook is pinned to |
| \`data\` | depends on the type |

Within a version, members are only added, so a receiver must ignore members that it does not know. Samples of \`test-webhook\` have
\`"test": true\` in \`data\`. \`@swarmbase/sdk\` has a type for each event (\`SwarmbaseEvent\`), which \`verifyWebhook\` returns. Each
event type has a JSON Schema (2020-12) of the whole envelope. This page and the schemas are generated from the same source as the types.

| type | raised when | sent to | schema |
|---|---|---|---|
`;

/** The page of events and a JSON Schema for each, by path with their generators. */
export const EVENT_DOCUMENTS: Readonly<Record<string, () => string>> = {
  "docs/reference/events.md": renderPage,
  ...Object.fromEntries(
    EVENT_TYPES.map((type) => [
      `docs/reference/events/${type}.json`,
      () => `${JSON.stringify(buildEventSchema(type), null, 2)}\n`,
    ]),
  ),
};

function renderPage(): string {
  const rows = EVENT_TYPES.map((type) => {
    const { summary, audience } = EVENT_DESCRIPTIONS[type];
    return `| [\`${type}\`](#${anchorOf(type)}) | ${summary} | ${audience} | [schema](events/${type}.json) |\n`;
  });
  const groups = Object.entries(EVENT_TYPES_BY_GROUP).map(
    ([group, types]) => `\n## ${group.charAt(0).toUpperCase()}${group.slice(1)}\n${types.map(renderEvent).join("")}`,
  );
  return `${INTRODUCTION}${rows.join("")}${groups.join("")}${renderShared()}`;
}

function renderEvent(type: EventType): string {
  const { summary, data } = EVENT_DESCRIPTIONS[type];
  const tables = (data.anyOf ?? [data]).map(renderMembers).join("\nor\n\n");
  const example = JSON.stringify(buildEventExample(type), null, 2);
  return `\n### ${type}\n\n${summary}\n\n${tables}\n\`\`\`json\n${example}\n\`\`\`\n`;
}

function renderShared(): string {
  const used = new Map(EVENT_TYPES.flatMap((type) => Object.entries(buildEventSchema(type).$defs)));
  const parts = [...used].map(([name, schema]) => `\n### ${name}\n\n${renderMembers(schema)}`);
  return `\n## Shared parts\n${parts.join("")}`;
}

function renderMembers({ properties = {}, required = [] }: JsonSchema): string {
  const rows = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? "" : " (may be absent)";
    return `| \`${name}\` | ${describeType(schema)}${mark} | ${schema.description ?? ""} |\n`;
  });
  return `| member | type | |\n|---|---|---|\n${rows.join("")}`;
}

function describeType(schema: JsonSchema): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.replace("#/$defs/", "");
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (schema.anyOf !== undefined) return schema.anyOf.map(describeType).join(" or ");
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.type === undefined) return "any JSON";
  const types = typeof schema.type === "string" ? [schema.type] : schema.type;
  return types.map((type) => describePlain(type, schema)).join(" or ");
}

function describePlain(type: string, schema: JsonSchema): string {
  if (type === "array") return `array of ${describeType(schema.items ?? {})}`;
  if (type !== "string") return type;
  if (schema.enum !== undefined)
    return schema.enum
      .filter((value) => value !== null)
      .map((value) => `\`${value}\``)
      .join(", ");
  switch (schema.format) {
    case "uuid":
      return "UUID";
    case "date-time":
      return "time";
    default:
      return "text";
  }
}

function anchorOf(heading: string): string {
  return heading.replaceAll(".", "");
}
