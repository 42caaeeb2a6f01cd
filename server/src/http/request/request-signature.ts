import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { SignatureStatus, SignedRequest } from "../../auth/index.ts";
import { authenticationOf } from "./authentication.ts";
import { joinValues } from "./header-values.ts";

/** Checks a signature or throws. Passed in: only `auth/` knows the secrets. */
export type SignatureCheck = (request: SignedRequest) => Promise<SignatureStatus>;

declare module "fastify" {
  interface FastifyRequest {
    /** The bytes of a parsed body, kept where a signature must be checked. */
    rawBody: Buffer | null;
    signatureStatus: SignatureStatus;
  }
}

const HEADER = "x-request-signature";
const NO_BYTES = Buffer.alloc(0);

export function addSignatures(app: FastifyInstance): void {
  app.decorateRequest("rawBody", null);
  app.decorateRequest("signatureStatus", null);
}

/** Keeps the bytes of a body whose signature must be checked; most requests have no signature. */
export function keepRawBody(request: FastifyRequest, bytes: Buffer): void {
  if (request.headers[HEADER] !== undefined) request.rawBody = bytes;
}

/** Runs after the body was read and before the handler. */
export function buildSignatureHook(
  check: SignatureCheck,
  { isRequirementUnknown, isForFirstSecret }: Pick<SignedRequest, "isRequirementUnknown" | "isForFirstSecret">,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (request, reply) => {
    const authentication = authenticationOf(request);
    const signature = joinValues(request.headers[HEADER]);
    if (signature === undefined && authentication.isSignatureRequired !== true && !isRequirementUnknown) return;
    const { body, rawBody } = request;
    const bodyBytes = Buffer.isBuffer(body) ? body : (rawBody ?? NO_BYTES);
    const status = await check({ authentication, signature, bodyBytes, isRequirementUnknown, isForFirstSecret });
    request.signatureStatus = status;
    if (status !== null) void reply.header("x-request-signature-status", status);
  };
}
