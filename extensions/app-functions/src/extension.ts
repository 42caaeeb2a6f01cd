import { defineExtension, type ExtensionRoute } from "swarmbase/extension";
import { openFunctionKind } from "./function-kind.ts";
import { forwardRequest } from "./forward-call.ts";
import { keyScopesOf } from "./key-scopes.ts";
import { readFunctionsFile } from "./read-functions-file.ts";

export const extension = defineExtension({
  name: "functions",
  summary: "forwards further functions under /functions/v1/ to servers of the operator, for clients and for tools",
  docs: new URL("../README.md", import.meta.url),
  settings: [
    {
      name: "FUNCTIONS_FILE",
      kind: "path",
      default: null,
      description:
        "JSON file that maps further names under `/functions/v1/` to URLs of the operator. Read at the start. See [the guide](../guides/app-functions.md).",
    },
    {
      name: "FUNCTIONS_SECRET",
      kind: "key",
      minLength: 32,
      secret: true,
      default: null,
      description:
        "Signs the calls that are forwarded to the URLs of `FUNCTIONS_FILE`, so that receivers can verify the caller. Required with it.",
    },
  ],
  toolKinds: [
    {
      name: "function",
      open(context) {
        const { FUNCTIONS_FILE: file, FUNCTIONS_SECRET: secret } = context.settings;
        const functions = file === null ? null : readFunctionsFile(file, secret);
        return openFunctionKind(functions, secret ?? "", context);
      },
    },
  ],
  configure({ FUNCTIONS_FILE: file, FUNCTIONS_SECRET: secret }) {
    if (file === null) return {};
    const functions = readFunctionsFile(file, secret);
    return {
      trustedUrls: functions.map(({ url }) => url.href),
      routes: functions.flatMap((target) =>
        target.methods.map(
          (method): ExtensionRoute => ({
            method,
            path: `/functions/v1/${target.name}`,
            access: target.access,
            keyScope: keyScopesOf(method),
            limit: "api",
            isBodyRaw: true,
            handler: (request, context) => forwardRequest({ target, secret: secret ?? "" }, request, context),
          }),
        ),
      ),
    };
  },
});
