import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { SignatureStatus, SignedRequest } from "../../auth/index.ts";
import { authenticationOf } from "./authentication.ts";
import { joinValues } from "./header-values.ts";

/** Checks a signature or throws. Joined from outside: whose secret it is made with is not known here. */
export type SignatureCheck = (request: SignedRequest) => Promise<SignatureStatus>;

declare module "fastify" {
  interface FastifyRequest {
    /** The body as it came, where a signature over it is to be checked and it was parsed. */
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

/** For the parsers: signatures are over bytes, and most requests have none. */
export function keepRawBody(request: FastifyRequest, bytes: Buffer): void {
  if (request.headers[HEADER] !== undefined) request.rawBody = bytes;
}

/** The hook that comes after the body was read and before the handler. */
export function buildSignatureHook(
  check: SignatureCheck,
  { isDemandUnknown, isForFirstSecret }: Pick<SignedRequest, "isDemandUnknown" | "isForFirstSecret">,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (request, reply) => {
    const authentication = authenticationOf(request);
    const signature = joinValues(request.headers[HEADER]);
    if (signature === undefined && authentication.isSignatureRequired !== true && !isDemandUnknown) return;
    const { body, rawBody } = request;
    const bodyBytes = Buffer.isBuffer(body) ? body : (rawBody ?? NO_BYTES);
    const status = await check({ authentication, signature, bodyBytes, isDemandUnknown, isForFirstSecret });
    request.signatureStatus = status;
    if (status !== null) void reply.header("x-request-signature-status", status);
  };
}
