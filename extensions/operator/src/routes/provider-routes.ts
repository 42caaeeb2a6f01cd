import { FRAMEWORKS } from "@swarmbase/sdk";
import { AppError } from "swarmbase/extension";
import type { OperatorContext, OperatorRequest, OperatorRoute } from "../operator-route.ts";
import { readBody, readText } from "../read-input.ts";

const PATH = "/operator/v1/providers";

export const providerRoutes: readonly OperatorRoute[] = [
  { method: "GET", path: PATH, action: "providers.list", handler: listProviders },
  {
    method: "POST",
    path: `${PATH}/:framework/test`,
    action: "providers.test",
    target: ({ params }) => `providers/${params["framework"] ?? ""}`,
    handler: testProvider,
  },
];

function listProviders(_request: OperatorRequest, { operations }: OperatorContext) {
  return { body: { providers: operations.providers() } };
}

/** A provider that fails is a result and not an error of this call. */
async function testProvider(request: OperatorRequest, { operations }: OperatorContext) {
  const framework = FRAMEWORKS.find((name) => name === request.params["framework"]);
  if (framework === undefined) throw new AppError("NOT_FOUND", "The provider does not exist");
  const { model } = readBody(request.body ?? {}, ["model"]);
  const test = await operations.testProvider(framework, readText(model, "model"), request.signal);
  request.noteDetails({ model: test.model, is_ok: test.is_ok, error_code: test.error_code });
  return { body: { test } };
}
