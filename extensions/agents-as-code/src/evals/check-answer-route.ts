import { AppError, type ExtensionRoute, isRecord } from "swarmbase/extension";

/** Checks an answer for a case of the kind `schema`. Browsers have no means of their own: validators of JSON Schema generate code. */
export const checkAnswerRoute: ExtensionRoute = {
  method: "POST",
  path: "/functions/v1/check-answer",
  access: "account",
  keyScope: ["read"],
  limit: "api",
  async handler({ body }, context) {
    const { schema, text } = isRecord(body) ? body : {};
    if (isRecord(schema) && typeof text === "string")
      return { body: { fault: await context.findAnswerFault(schema, text) } };
    throw new AppError("VALIDATION_ERROR", "The request body is not valid", {
      details: {
        ...(!isRecord(schema) && { schema: "must be a JSON Schema" }),
        ...(typeof text !== "string" && { text: "must be a string" }),
      },
    });
  },
};
