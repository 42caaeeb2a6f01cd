import type { HttpAnswer, HttpRequest } from "../load/http-connection.ts";
import type { ReadAgent } from "./contender.ts";
import { CHANGE, LIST_LIMIT, NEW_AGENT, type Operation } from "./operations.ts";
import { idOf, type Target } from "./population.ts";

/** The requests of the table interface, which several contenders share. */
export function buildTableRequest(
  operation: Operation,
  { user, agent }: Target,
  headers: Readonly<Record<string, string>>,
): HttpRequest {
  const list = `order=created_at.desc&limit=${LIST_LIMIT}`;
  const writing = { ...headers, "content-type": "application/json", prefer: "return=representation" };
  switch (operation) {
    case "read one":
      return { method: "GET", path: `/rest/v1/agents?select=*&id=eq.${idOf("agent", agent)}`, headers };
    case "list 20":
      return { method: "GET", path: `/rest/v1/agents?select=*&${list}`, headers };
    case "list 20 with tools":
      return { method: "GET", path: `/rest/v1/agents?select=*,agent_tools(tool:tools(*))&${list}`, headers };
    case "insert": {
      const body = JSON.stringify({ ...NEW_AGENT, user_id: idOf("user", user) });
      return { method: "POST", path: "/rest/v1/agents?select=*", headers: writing, body };
    }
    case "update": {
      const path = `/rest/v1/agents?select=*&id=eq.${idOf("agent", agent)}`;
      return { method: "PATCH", path, headers: writing, body: JSON.stringify(CHANGE) };
    }
  }
}

interface AgentRow {
  readonly id: string;
  readonly agent_tools?: readonly { readonly tool: { readonly name: string } | null }[];
}

export function readTableAgents(_operation: Operation, { status, text }: HttpAnswer): readonly ReadAgent[] {
  if (status !== 200 && status !== 201) return [];
  const rows = JSON.parse(text) as readonly AgentRow[];
  return rows.map(({ id, agent_tools = [] }) => ({
    id,
    tools: agent_tools.filter(({ tool }) => tool !== null).length,
  }));
}
