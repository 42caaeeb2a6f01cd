import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { SignedRequest, VerifiedSignatures } from "../../auth/index.ts";
import { authenticationOf } from "./authentication.ts";
import { joinValues } from "./header-values.ts";

/** Checks the signatures or throws. Passed in: only `auth/` knows the secrets. */
export type SignatureCheck = (request: SignedRequest) => Promise<VerifiedSignatures | null>;

declare module "fastify" {
  interface FastifyRequest {
    /** The bytes of a parsed body, kept where a signature must be checked. */
    rawBody: Buffer | null;
    signatures: VerifiedSignatures | null;
  }
}

const HEADER = "x-request-signature";
const MESSAGE_HEADERS = ["signature", "signature-input"] as const;
const NO_BYTES = Buffer.alloc(0);

export function addSignatures(app: FastifyInstance): void {
  app.decorateRequest("rawBody", null);
  app.decorateRequest("signatures", null);
}

/** Keeps the bytes of a body whose signature must be checked; most requests have no signature. */
export function keepRawBody(request: FastifyRequest, bytes: Buffer): void {
  if (request.headers[HEADER] !== undefined || hasMessageSignature(request)) request.rawBody = bytes;
}

function hasMessageSignature({ headers }: FastifyRequest): boolean {
  return MESSAGE_HEADERS.some((name) => headers[name] !== undefined);
}

/** Runs after the body was read and before the handler. */
export function buildSignatureHook(
  check: SignatureCheck,
  { isRequirementUnknown, isForFirstSecret }: Pick<SignedRequest, "isRequirementUnknown" | "isForFirstSecret">,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (request, reply) => {
    const authentication = authenticationOf(request);
    const signature = joinValues(request.headers[HEADER]);
    const isMessageSigned = hasMessageSignature(request);
    const isUnsigned = signature === undefined && !isMessageSigned;
    if (isUnsigned && authentication.requiredSignatures === undefined && !isRequirementUnknown) return;
    const { body, rawBody, raw } = request;
    request.signatures = await check({
      authentication,
      signature,
      message: isMessageSigned
        ? { method: raw.method ?? "", target: raw.url ?? "", fieldValues: (name) => raw.headersDistinct[name] ?? [] }
        : null,
      bodyBytes: Buffer.isBuffer(body) ? body : (rawBody ?? NO_BYTES),
      isRequirementUnknown,
      isForFirstSecret,
    });
    if (request.signatures !== null)
      void reply.header("x-request-signature-status", request.signatures.isUnverified ? "unverified" : "verified");
  };
}
