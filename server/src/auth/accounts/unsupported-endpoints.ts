import { type AuthErrorCode, authError } from "../auth-error.ts";
import type { AuthEndpoint } from "../call.ts";

interface UnsupportedEndpoint extends Pick<AuthEndpoint, "path" | "access"> {
  readonly methods: readonly AuthEndpoint["method"][];
  readonly code: AuthErrorCode;
}

/** Endpoints of the client library that are not supported. Each returns the error code that clients test for. */
const UNSUPPORTED: readonly UnsupportedEndpoint[] = [
  { methods: ["POST"], path: "/sso", access: "apikey", code: "saml_provider_disabled" },
  { methods: ["GET", "POST"], path: "/admin/custom-providers", access: "service", code: "feature_disabled" },
  {
    methods: ["GET", "PUT", "DELETE"],
    path: "/admin/custom-providers/:id",
    access: "service",
    code: "feature_disabled",
  },
];

export const unsupportedEndpoints: readonly AuthEndpoint[] = UNSUPPORTED.flatMap(({ methods, code, ...endpoint }) =>
  methods.map((method) => ({ ...endpoint, method, limit: "api", run: () => Promise.reject(authError(code)) })),
);
