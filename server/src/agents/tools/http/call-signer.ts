import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import {
  TOOL_CALL_ALGORITHM,
  TOOL_CALL_TOKEN_SECONDS,
  TOOL_CALL_TOKEN_TYPE,
  type ToolCallClaims,
  type ToolCallKeys,
} from "@swarmbase/sdk";
import type { Clock } from "../../../time/index.ts";

interface CallSignerOptions {
  /** 32 bytes, derived from the master key: all nodes have the same, and none stores it. */
  readonly key: Buffer;
  /** The public URL of the service. */
  baseUrl(): string;
  readonly clock: Clock;
  newId(): string;
}

/** Signs for whom a tool is called, for the server of the tool. Has a key of its own, so that no token passes for one of another kind. */
export interface CallSigner {
  /** The public key, as the service publishes it. */
  readonly keySet: ToolCallKeys;
  sign(claims: Omit<ToolCallClaims, "iss" | "jti" | "iat" | "exp">): string;
}

/** Before the 32 bytes of an Ed25519 private key in PKCS #8 (RFC 8410). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

export function openCallSigner({ key, baseUrl, clock, newId }: CallSignerOptions): CallSigner {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, key]), format: "der", type: "pkcs8" });
  const { crv, kty, x } = createPublicKey(privateKey).export({ format: "jwk" });
  // The thumbprint of RFC 7638.
  const kid = createHash("sha256").update(JSON.stringify({ crv, kty, x })).digest("base64url");
  const head = encode({ alg: TOOL_CALL_ALGORITHM, typ: TOOL_CALL_TOKEN_TYPE, kid });
  return {
    keySet: { keys: [{ kty, crv, x, kid, alg: TOOL_CALL_ALGORITHM, use: "sig", key_ops: ["verify"] }] },
    sign(claims) {
      const iat = Math.floor(clock.now().getTime() / 1000);
      const exp = iat + TOOL_CALL_TOKEN_SECONDS;
      const signed = `${head}.${encode({ iss: baseUrl(), ...claims, jti: newId(), iat, exp })}`;
      return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString("base64url")}`;
    },
  };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
