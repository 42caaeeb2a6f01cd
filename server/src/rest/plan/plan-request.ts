import type { FunctionEntry } from "../catalogue/catalogue.ts";
import type { ParsedRequest } from "../parse/parsed-request.ts";
import type { Plan } from "./plan.ts";
import { planCall } from "./plan-call.ts";
import type { PlanContext } from "./plan-context.ts";
import { planRead } from "./plan-read.ts";
import { planWrite } from "./plan-write.ts";

/**
 * Plans a request. `called` is the function that it calls, if any. Pure; throws an `AppError` for a name that the catalogue does
 * not contain.
 */
export function planRequest(request: ParsedRequest, called: FunctionEntry | null, context: PlanContext): Plan {
  if (called !== null) return planCall(request, called, context);
  const { target, method, schema } = request;
  if (target.kind !== "relation") throw new Error("a request without a relation or a function cannot be planned");
  const isRead = method === "GET" || method === "HEAD";
  const relation = { schema, name: target.name };
  return isRead ? planRead(request, relation, context) : planWrite(request, relation, context);
}
