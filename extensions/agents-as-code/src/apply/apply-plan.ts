import { isSameJson } from "@swarmbase/sdk";
import { memberOf } from "../model/json.ts";
import type { Plan, Step } from "../plan/plan.ts";
import { printable } from "../plan/render-plan.ts";
import { type Answer, type Client, ServiceError } from "../service/client.ts";

interface Applied {
  readonly done: number;
  readonly failed: number;
  /** Steps that need the row of a step that failed. */
  readonly skipped: number;
}

interface ApplyOptions {
  readonly client: Pick<Client, "send">;
  readonly signal: AbortSignal;
  /** One line for each step. */
  report(line: string): void;
}

const CONFLICT = 409;
const NOT_FOUND = 404;
const OVERTAKEN = "it was changed or deleted since the plan was made. Nothing was overwritten; run plan again.";

/**
 * Makes the requests one after another. A step that fails does not stop those that do not need it; the next run finds what is missing,
 * because ids do not depend on the run.
 */
export async function applyPlan({ steps }: Plan, { client, signal, report }: ApplyOptions): Promise<Applied> {
  const failedIds = new Map<string, string>();
  /** Of the rows that this run has changed: later steps expect that state, not the planned one. */
  const updatedAt = new Map<string, string>();
  const counts = { done: 0, failed: 0, skipped: 0 };
  for (const step of steps) {
    signal.throwIfAborted();
    const label = printable(`${step.action} ${step.noun} ${step.title}`);
    const blocker = step.needs.map((id) => failedIds.get(id)).find((title) => title !== undefined);
    if (blocker !== undefined) {
      counts.skipped += 1;
      report(`skipped  ${label}, because ${blocker} failed`);
      continue;
    }
    try {
      const row = await send(step, client, updatedAt);
      const time = memberOf(row, "updated_at");
      if (step.id !== null && typeof time === "string") updatedAt.set(step.id, time);
      counts.done += 1;
      report(`done     ${label}`);
    } catch (error) {
      signal.throwIfAborted();
      counts.failed += 1;
      if (step.id !== null && step.action === "create") failedIds.set(step.id, `${step.noun} ${step.title}`);
      report(`failed   ${label}: ${describe(error, step)}`);
    }
  }
  return counts;
}

async function send(
  step: Step,
  client: Pick<Client, "send">,
  updatedAt: ReadonlyMap<string, string>,
): Promise<Answer["body"]> {
  const { action, table, id, filter, body } = step;
  if (action === "create") {
    const answer = await client.send(
      "POST",
      table === "users" ? "/auth/v1/admin/users" : `/rest/v1/${table}`,
      body ?? {},
    );
    if (answer.status === CONFLICT)
      throw new Error(`it exists already: ${new ServiceError(answer).message} Run plan again.`);
    return rowOf(answer);
  }
  const newest = id === null ? undefined : updatedAt.get(id);
  const query = new URLSearchParams({
    id: `eq.${id ?? ""}`,
    ...filter,
    ...(newest !== undefined && { updated_at: `eq.${newest}` }),
  });
  const path = `/rest/v1/${table}?${query.toString()}`;
  if (step.expected !== undefined) {
    const stored = rowOf(await client.send("GET", path));
    const isExpected = Object.entries(step.expected).every(([name, value]) =>
      isSameJson(memberOf(stored, name), value),
    );
    if (!isExpected) throw new Error(OVERTAKEN);
  }
  // Secrets with a further filter are accepted only in a list, whose rows name themselves.
  const change = body !== null && Object.hasOwn(body, "secrets") ? [{ id, ...body }] : (body ?? {});
  const answer = action === "delete" ? await client.send("DELETE", path) : await client.send("PATCH", path, change);
  // The filter has the state that the plan was made from.
  if (answer.status === NOT_FOUND || (answer.status < 300 && rowOf(answer) === null)) throw new Error(OVERTAKEN);
  return rowOf(answer);
}

function rowOf(answer: Answer): Answer["body"] {
  if (answer.status >= 300) throw new ServiceError(answer);
  return Array.isArray(answer.body) ? (answer.body[0] ?? null) : answer.body;
}

/** With the line of each field that the service rejects. */
function describe(error: unknown, step: Step): string {
  if (!(error instanceof ServiceError)) return printable(error instanceof Error ? error.message : String(error));
  const fields = Object.entries(error.details).map(([name, message]) => {
    const field = name.replace(/^0\./, "");
    const place = step.lineOf(field);
    return `\n         ${place === null ? "" : `${place.file}:${place.line} `}${printable(`${field} ${message}`)}`;
  });
  const place = step.place === null ? "" : ` (${step.place.file}:${step.place.line})`;
  return `${printable(error.message)}${fields.length === 0 ? place : fields.join("")}`;
}
