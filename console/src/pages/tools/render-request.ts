import { findPlaceholders, readArguments } from "./arguments.ts";
import { fromLines } from "../../components/header-lines.ts";
import type { ToolForm } from "./tool-draft.ts";

const HIDDEN = "••••••";
const BODY_METHODS = new Set(["POST", "PUT", "PATCH"]);

/** The request of a tool with the secret hidden; for an MCP tool, its server. */
export function renderRequest(form: ToolForm): string {
  const { auth, kind } = form;
  const url = auth.type === "query" ? addParameter(form.url, auth.parameter) : form.url;
  const lines = [
    kind === "mcp" ? url : `${form.method} ${url}`,
    ...(auth.type === "bearer" || auth.type === "asker" ? [`Authorization: Bearer ${HIDDEN}`] : []),
    ...(auth.type === "basic" ? [`Authorization: Basic ${auth.username}:${HIDDEN}`] : []),
    ...(auth.type === "header" ? [`${auth.header}: ${HIDDEN}`] : []),
    ...Object.entries(fromLines(form.headers)).map(([name, value]) => `${name}: ${value}`),
  ];
  if (kind === "mcp" || !BODY_METHODS.has(form.method)) return lines.join("\n");
  const body = JSON.stringify(form.body ?? defaultBody(form), null, 2);
  return [...lines, "Content-Type: application/json", "", body].join("\n");
}

/** The arguments that the URL does not contain. */
function defaultBody(form: ToolForm): Record<string, string> {
  const used = new Set(findPlaceholders(form.url, undefined));
  const left = readArguments(form.schema).filter(({ name }) => !used.has(name));
  return Object.fromEntries(left.map(({ name }) => [name, `{${name}}`]));
}

function addParameter(url: string, parameter: string): string {
  return `${url}${url.includes("?") ? "&" : "?"}${parameter}=${HIDDEN}`;
}
