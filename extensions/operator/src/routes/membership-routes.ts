import { AppError, type ExtensionRequest, type ExtensionResponse, type ExtensionRoute } from "swarmbase/extension";
import { type OperatorContext, readSession } from "../operator-route.ts";
import { invalidField, readBody, readId, readRequiredText } from "../read-input.ts";
import type { OperatorSettings } from "../settings.ts";
import { findLack } from "../sql/guard.ts";
import { addOperator, listOperators, recordCall, removeOperator } from "../sql/operators.ts";

const PATH = "/operator/v1/operators";
const SERVICE = { access: "service", limit: "api" } as const;

/** What is not a call of an operator: whether the caller is one, and the calls of the service role that make them. */
export const membershipRoutes: readonly ExtensionRoute<OperatorSettings>[] = [
  { method: "GET", path: "/operator/v1/me", access: "user", keyScope: null, limit: "api", handler: describeCaller },
  { method: "GET", path: PATH, ...SERVICE, handler: list },
  { method: "POST", path: PATH, ...SERVICE, handler: add },
  { method: "DELETE", path: `${PATH}/:id`, ...SERVICE, handler: remove },
];

/** Tells the console whether to show the pages of operators. */
async function describeCaller(request: ExtensionRequest, context: OperatorContext): Promise<ExtensionResponse> {
  const lacks = await findLack(context.database, readSession(request, context));
  return { headers: { "cache-control": "no-store" }, body: { is_operator: lacks !== "operator", lacks } };
}

async function list(_request: ExtensionRequest, { database }: OperatorContext): Promise<ExtensionResponse> {
  return { body: { operators: await database.asService(listOperators) } };
}

async function add({ id, body }: ExtensionRequest, { database }: OperatorContext): Promise<ExtensionResponse> {
  const { email, user_id: userId } = readBody(body, ["email", "user_id"]);
  if (email !== undefined && userId !== undefined) throw invalidField("user_id", "cannot be sent with email");
  const wanted =
    userId === undefined ? readRequiredText(email, "email") : readId(readRequiredText(userId, "user_id"), "user_id");
  const added = await database.asService(async (query) => {
    const found = await addOperator(query, wanted);
    if (found === null) throw new AppError("NOT_FOUND", "No account has this address or id");
    const { is_added: isAdded, ...operator } = found;
    if (!isAdded) throw invalidField("email", "is not proven; set email_confirm of the account, or send its user_id");
    const target = `users/${operator.user_id}`;
    await recordCall(query, "service", { action: "operators.add", target, request_id: id, status: 201 });
    return operator;
  });
  return { status: 201, body: added };
}

async function remove({ id, params }: ExtensionRequest, { database }: OperatorContext): Promise<ExtensionResponse> {
  const userId = readId(params["id"], "id");
  const removed = await database.asService(async (query) => {
    const operator = await removeOperator(query, userId);
    if (operator === null) throw new AppError("NOT_FOUND", "The account is not an operator");
    const target = `users/${userId}`;
    await recordCall(query, "service", { action: "operators.remove", target, request_id: id, status: 200 });
    return operator;
  });
  return { body: removed };
}
