import type { OperatorContext, OperatorRequest, OperatorRoute } from "../operator-route.ts";

export const settingRoutes: readonly OperatorRoute[] = [
  { method: "GET", path: "/operator/v1/settings", action: "settings.list", handler: listSettings },
];

/** The table of settings decides which ones are secret, and the core leaves their values out. */
function listSettings(_request: OperatorRequest, { operations }: OperatorContext) {
  return { body: { settings: operations.settings() } };
}
