import type { IncomingHttpHeaders } from "node:http";
import type { SignedRequest, VerifiedSignatures } from "../../auth/index.ts";
import { authenticationOf } from "./authentication.ts";
import type { RouteReply } from "../route-reply.ts";
import { joinValues } from "./header-values.ts";
import type { RouteRequest } from "../route-request.ts";

/** Checks the signatures or throws. Passed in: only `auth/` knows the secrets. */
export type SignatureCheck = (request: SignedRequest) => Promise<VerifiedSignatures | null>;

const HEADER = "x-request-signature";
const NO_BYTES = Buffer.alloc(0);

/** Most requests have no signature. */
export function isSigned({ headers }: RouteRequest): boolean {
  return headers[HEADER] !== undefined || hasMessageSignature(headers);
}

function hasMessageSignature(headers: IncomingHttpHeaders): boolean {
  return headers["signature"] !== undefined || headers["signature-input"] !== undefined;
}

/** Runs after the body was read and before the handler. */
export function buildSignatureStage(
  check: SignatureCheck,
  { isRequirementUnknown, isForFirstSecret }: Pick<SignedRequest, "isRequirementUnknown" | "isForFirstSecret">,
): (request: RouteRequest, reply: RouteReply) => Promise<void> {
  return async (request, reply) => {
    const authentication = authenticationOf(request);
    const signature = joinValues(request.headers[HEADER]);
    const isMessageSigned = hasMessageSignature(request.headers);
    const isUnsigned = signature === undefined && !isMessageSigned;
    if (isUnsigned && authentication.requiredSignatures === undefined && !isRequirementUnknown) return;
    const { body, signedBytes, raw } = request;
    request.signatures = await check({
      authentication,
      signature,
      message: isMessageSigned
        ? { method: raw.method ?? "", target: raw.url ?? "", fieldValues: (name) => raw.headersDistinct[name] ?? [] }
        : null,
      bodyBytes: Buffer.isBuffer(body) ? body : (signedBytes ?? NO_BYTES),
      isRequirementUnknown,
      isForFirstSecret,
    });
    if (request.signatures !== null)
      reply.header("x-request-signature-status", request.signatures.isUnverified ? "unverified" : "verified");
  };
}
