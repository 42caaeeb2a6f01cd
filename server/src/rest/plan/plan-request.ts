import type { ParsedRequest } from "../parse/parsed-request.ts";
import type { Plan } from "./plan.ts";
import { planCall } from "./plan-call.ts";
import type { PlanContext } from "./plan-context.ts";
import { planRead } from "./plan-read.ts";
import { planWrite } from "./plan-write.ts";

export type { PlanContext } from "./plan-context.ts";

/** What a request asks of the database. Pure; what it names and the catalogue does not have is an `AppError`. */
export function planRequest(request: ParsedRequest, context: PlanContext): Plan {
  const { target, method, schema } = request;
  switch (target.kind) {
    case "rpc":
      return planCall(request, context);
    case "relation":
      return method === "GET" || method === "HEAD"
        ? planRead(request, { schema, name: target.name }, context)
        : planWrite(request, context);
    case "root":
      throw new Error("the description of the schemas needs no plan");
  }
}
