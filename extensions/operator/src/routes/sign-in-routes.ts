import type { OperatorContext, OperatorRequest, OperatorRoute } from "../operator-route.ts";

const PATH = "/operator/v1/sign-in-providers";

/** How users sign in. The service role has the same calls below `/auth/v1/admin`. */
export const signInRoutes: readonly OperatorRoute[] = [
  { method: "GET", path: PATH, action: "sign_in_providers.list", handler: read("/admin/sign-in-providers") },
  {
    method: "POST",
    path: `${PATH}/:name/check`,
    action: "sign_in_providers.check",
    target: ({ params }) => `sign-in-providers/${params["name"] ?? ""}`,
    handler: checkProvider,
  },
  { method: "GET", path: "/operator/v1/hooks", action: "hooks.list", handler: read("/admin/hooks") },
];

function read(path: string): OperatorRoute["handler"] {
  return async (_request, context) => ({ body: (await context.authAsService({ method: "GET", path })).body });
}

/** A provider that fails is a result and not an error of this call. */
async function checkProvider({ params, noteDetails }: OperatorRequest, context: OperatorContext) {
  const path = `/admin/sign-in-providers/${encodeURIComponent(params["name"] ?? "")}/check`;
  const { body } = await context.authAsService({ method: "POST", path });
  noteDetails({ ok: (body as { readonly ok?: unknown }).ok === true });
  return { body };
}
