import type { HttpRequest } from "../load/http-connection.ts";
import { NEW_AGENT } from "../rest/operations.ts";
import { idOf } from "../rest/population.ts";

/** One kind of write. Every user of a case writes in turn, so that what a user owns grows slowly. */
export interface WriteCase {
  readonly label: string;
  /** Rows that a user needs first: requests whose rows have their ids passed to `write`, in the same order. */
  readonly prepare?: readonly ((user: number, ids: readonly string[]) => HttpRequest)[];
  /** The number makes every write different from the one before. */
  write(user: number, number: number, ids: readonly string[]): HttpRequest;
  /** False: measured for the reasons of other cases, without a goal. */
  readonly hasGoal: boolean;
}

const HEADERS = { "content-type": "application/json", prefer: "return=representation" };

const insert = (table: string, row: object): HttpRequest => ({
  method: "POST",
  path: `/rest/v1/${table}?select=*`,
  headers: HEADERS,
  body: JSON.stringify(row),
});
const update = (table: string, id: string | undefined, change: object): HttpRequest => ({
  method: "PATCH",
  path: `/rest/v1/${table}?select=*&id=eq.${id}`,
  headers: HEADERS,
  body: JSON.stringify(change),
});
const newAgent = (user: number): HttpRequest => insert("agents", { ...NEW_AGENT, user_id: idOf("user", user) });
const newSwarm = (): HttpRequest => insert("swarms", { name: "Newsroom" });
const newMessage = (swarmId: string | undefined, number: number): HttpRequest =>
  insert("messages", { swarm_id: swarmId, content: `Shall we rewrite it? ${number}` });
const newTool = (number: number): HttpRequest =>
  insert("tools", {
    name: `find_order_${number}`,
    description: "Looks up an order by its number.",
    kind: "http",
    config: { method: "GET", url: "https://shop.example.com/api/orders/{number}" },
    input_schema: { type: "object", properties: { number: { type: "string" } } },
  });
const newWebhook = (event: string): HttpRequest =>
  insert("webhooks", { name: "hook", url: "https://hooks.example.com/in", events: [event] });

export const PLAIN_INSERT = "agents, insert";
export const HEARD_INSERT = "agents, insert with a subscribed webhook";

export const WRITE_CASES: readonly WriteCase[] = [
  { label: PLAIN_INSERT, write: newAgent, hasGoal: true },
  { label: HEARD_INSERT, prepare: [() => newWebhook("agent.created")], write: newAgent, hasGoal: false },
  {
    label: "agents, update",
    prepare: [newAgent],
    write: (_user, number, [id]) => update("agents", id, { name: `Agent ${number}` }),
    hasGoal: true,
  },
  {
    label: "agents, update with a new version",
    prepare: [newAgent],
    write: (_user, number, [id]) => update("agents", id, { system_prompt: `Be brief. ${number}` }),
    hasGoal: false,
  },
  {
    label: "messages, insert",
    prepare: [newSwarm],
    write: (_user, number, [swarmId]) => newMessage(swarmId, number),
    hasGoal: true,
  },
  {
    label: "messages, update",
    prepare: [newSwarm, (_user, [swarmId]) => newMessage(swarmId, 0)],
    write: (_user, number, [, id]) => update("messages", id, { content: `Shall we rewrite it? ${number}` }),
    hasGoal: true,
  },
  { label: "swarms, insert", write: newSwarm, hasGoal: true },
  {
    label: "swarms, update",
    prepare: [newSwarm],
    write: (_user, number, [id]) => update("swarms", id, { name: `Newsroom ${number}` }),
    hasGoal: true,
  },
  { label: "tools, insert", write: (_user, number) => newTool(number), hasGoal: true },
  {
    label: "tools, update",
    prepare: [() => newTool(0)],
    write: (_user, number, [id]) => update("tools", id, { description: `Looks up order ${number}.` }),
    hasGoal: true,
  },
  { label: "webhooks, insert", write: () => newWebhook("run.updated"), hasGoal: true },
  {
    label: "webhooks, update",
    prepare: [() => newWebhook("run.updated")],
    write: (_user, number, [id]) => update("webhooks", id, { name: `hook ${number}` }),
    hasGoal: true,
  },
];
