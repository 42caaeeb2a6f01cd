import { setTimeout as sleep } from "node:timers/promises";
import { type OperatorContext, type OperatorRequest, type OperatorRoute, readSession } from "../operator-route.ts";
import { invalidField, readChoice, readRange, readText } from "../read-input.ts";
import { findLack } from "../sql/guard.ts";
import { findLastLineId, type LineFilter, selectLines, selectNewLines } from "../sql/observations.ts";

/** The least severe first. */
const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal"] as const;
const PAGE_LINES = 100;
const LINE_ID = /^\d{1,18}$/;
const TAIL_POLL_MS = 1000;
/** How often a tail asks whether its reader may still read. */
const TAIL_CHECK_MS = 3000;

export const logRoutes: readonly OperatorRoute[] = [
  { method: "GET", path: "/operator/v1/logs", action: "logs.read", handler: listLines },
  { method: "GET", path: "/operator/v1/logs/tail", action: "logs.tail", handler: followLines },
];

async function listLines({ query }: OperatorRequest, { database }: OperatorContext) {
  const before = readText(query["before"], "before");
  if (before !== null && !LINE_ID.test(before)) throw invalidField("before", "must be the id of a line");
  const filter = readFilter(query);
  return {
    body: { lines: await database.asService((run) => selectLines(run, filter, { before, limit: PAGE_LINES })) },
  };
}

/** New lines as they are stored, one JSON text a line; an empty line shows that the connection is alive. */
function followLines(request: OperatorRequest, context: OperatorContext) {
  return {
    headers: { "content-type": "application/x-ndjson; charset=utf-8" },
    stream: tail(request, context, readFilter(request.query)),
  };
}

async function* tail(
  request: OperatorRequest,
  context: OperatorContext,
  filter: LineFilter,
): AsyncGenerator<string, void, void> {
  const { signal } = request;
  const { database } = context;
  const session = readSession(request, context);
  let last = await database.asService(findLastLineId);
  let newest = last;
  let checkedAtMs = performance.now();
  yield "\n";
  while (!signal.aborted) {
    if (performance.now() - checkedAtMs > TAIL_CHECK_MS) {
      checkedAtMs = performance.now();
      if ((await findLack(database, session)) !== null) return;
      yield "\n";
    }
    const after = last;
    const { lines, newestNow } = await database.asService(async (run) => ({
      newestNow: await findLastLineId(run),
      lines: await selectNewLines(run, filter, { after, limit: PAGE_LINES }),
    }));
    for (const line of lines) {
      last = line.id;
      yield `${JSON.stringify(line)}\n`;
    }
    if (lines.length === PAGE_LINES) continue;
    // Lines that the filter leaves out are not read with each poll. Those since the last one are read once more, because a
    // transaction that was open can have stored lines among them.
    if (BigInt(newest) > BigInt(last)) last = newest;
    newest = newestNow;
    await sleep(TAIL_POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

function readFilter(query: OperatorRequest["query"]): LineFilter {
  const level = readChoice(query["level"], "level", LEVELS) ?? "trace";
  return {
    levels: LEVELS.slice(LEVELS.indexOf(level)),
    requestId: readText(query["request_id"], "request_id"),
    userId: readText(query["user_id"], "user_id"),
    search: readText(query["search"], "search"),
    ...readRange(query),
  };
}
