import { isRecord } from "swarmbase/extension";
import { noteValue } from "../note-value.ts";
import type { OperatorContext, OperatorRequest, OperatorRoute } from "../operator-route.ts";
import { invalidField, readBody } from "../read-input.ts";

const PATH = "/operator/v1/oauth-clients";
const ADMIN_PATH = "/admin/oauth/clients";
const PAGE_ROWS = 50;
const PAGE = /^[1-9]\d{0,5}$/;
/** The core reads their values. */
const FIELDS = ["client_name", "client_uri", "redirect_uris", "scope", "token_endpoint_auth_method"];

/** The programs that may ask people for access. The service role has the same calls below `/auth/v1`. */
export const oauthClientRoutes: readonly OperatorRoute[] = [
  { method: "GET", path: PATH, action: "oauth_clients.list", handler: listClients },
  forward("POST", "", { as: "POST", action: "create" }),
  forward("PATCH", "/:id", { as: "PUT", action: "change" }),
  forward("POST", "/:id/regenerate_secret", { as: "POST", action: "new_secret" }),
  forward("DELETE", "/:id", { as: "DELETE", action: "delete" }),
];

async function listClients({ query: { page = "1" } }: OperatorRequest, context: OperatorContext) {
  if (!PAGE.test(page)) throw invalidField("page", "must be the number of a page");
  const query = { page, per_page: String(PAGE_ROWS) };
  const { body } = await context.authAsService({ method: "GET", path: ADMIN_PATH, query });
  const { clients } = body as { readonly clients: readonly unknown[] };
  return { body: { clients, next: clients.length < PAGE_ROWS ? null : String(Number(page) + 1) } };
}

/** The id of a client can be the address of a document. */
function forward(
  method: OperatorRoute["method"],
  below: string,
  { as, action }: { readonly as: "POST" | "PUT" | "DELETE"; readonly action: string },
): OperatorRoute {
  return {
    method,
    path: `${PATH}${below}`,
    action: `oauth_clients.${action}`,
    target: ({ params: { id } }) => (id === undefined ? null : `oauth-clients/${id}`),
    handler: async ({ params: { id = "" }, body: given, noteDetails }, context) => {
      const sent = readBody(given ?? {}, FIELDS);
      const one = `${ADMIN_PATH}/${encodeURIComponent(id)}`;
      const found = id === "" ? {} : (await context.authAsService({ method: "GET", path: one })).body;
      const old = isRecord(found) ? found : {};
      noteDetails({
        client_name: noteValue(old["client_name"] ?? sent["client_name"]),
        changes: Object.fromEntries(
          Object.keys(sent).map((name) => [name, [noteValue(old[name]), noteValue(sent[name])]]),
        ),
      });
      const path = `${ADMIN_PATH}${below.replace(":id", encodeURIComponent(id))}`;
      const { status, body = {} } = await context.authAsService({ method: as, path, body: sent });
      if (action === "create" && isRecord(body)) noteDetails({ client_id: body["client_id"] });
      return { status: status === 204 ? 200 : status, body };
    },
  };
}
