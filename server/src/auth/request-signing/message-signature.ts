import { createHmac, hash, timingSafeEqual } from "node:crypto";
import { buildSignatureBase } from "@swarmbase/sdk";
import {
  type Dictionary,
  type InnerList,
  isInnerList,
  type Item,
  parseDictionary,
  serializeInnerList,
} from "structured-headers";
import { messageSignatureError } from "../signature-errors.ts";

/** The parts of a request that a signature can cover. */
export interface SignedMessage {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** The values of a header, one for each line. The name is in lower case. */
  fieldValues(name: string): readonly string[];
}

interface ParsedSignature {
  readonly bytes: Buffer;
  readonly components: readonly string[];
  /** `@signature-params`: components and parameters in canonical form. */
  readonly params: string;
  readonly parameters: ReadonlyMap<string, unknown>;
}

interface SignatureUse {
  readonly nonce: string;
  /** No node accepts the signature after this time. */
  readonly expiresAt: Date;
}

const ALGORITHM = "hmac-sha256";
const REQUIRED_COMPONENTS = ["@method", "@path", "@query"];
const DIGEST = "content-digest";
const PARAMETERS: ReadonlySet<string> = new Set(["created", "expires", "nonce", "keyid", "alg"]);
const MAX_HEADER_LENGTH = 4_096;
const TOLERANCE_SECONDS = 300;
/** Clocks of nodes may differ. */
const CLOCK_DIFFERENCE_SECONDS = 60;
const NONCE = /^[\x21-\x7e]{8,128}$/;
const FIELD_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;

/** Throws unless the message has one signature of this key that covers what it must, is recent and belongs to the body. */
export function verifyMessageSignature(
  message: SignedMessage,
  bodyBytes: Buffer,
  { key, keyId, now }: { readonly key: Buffer; readonly keyId: string; readonly now: Date },
): SignatureUse {
  const signature = parseSignature(message);
  const { components, parameters } = signature;
  const uncovered = [...REQUIRED_COMPONENTS, ...(bodyBytes.length > 0 ? [DIGEST] : [])].filter(
    (name) => !components.includes(name),
  );
  if (uncovered.length > 0) throw invalid(`Signature-Input does not cover ${uncovered.join(", ")}.`);
  const unknown = [...parameters.keys()].find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined) throw invalid(`The parameter ${unknown} is not supported.`);
  const algorithm = parameters.get("alg") ?? ALGORITHM;
  if (algorithm !== ALGORITHM) throw invalid(`The parameter alg must be "${ALGORITHM}".`);
  if (parameters.get("keyid") !== keyId) throw invalid("The parameter keyid must be your user id.");
  const nonce = parameters.get("nonce");
  if (typeof nonce !== "string" || !NONCE.test(nonce)) {
    throw invalid("The parameter nonce must be a string of 8 to 128 visible characters.");
  }
  const created = readSeconds(parameters.get("created"), "created");
  const expires = parameters.has("expires")
    ? readSeconds(parameters.get("expires"), "expires")
    : created + TOLERANCE_SECONDS;
  if (components.includes(DIGEST)) checkDigest(message, bodyBytes);
  if (!isSignedWith(key, signature, message))
    throw invalid("The signature does not belong to this request and secret.");
  const nowSeconds = Math.floor(now.getTime() / 1000);
  if (Math.abs(nowSeconds - created) > TOLERANCE_SECONDS || expires < nowSeconds) {
    throw messageSignatureError(
      "EXPIRED",
      `created must be within ${TOLERANCE_SECONDS} s of the current time, and expires not over.`,
    );
  }
  return { nonce, expiresAt: new Date((created + TOLERANCE_SECONDS + CLOCK_DIFFERENCE_SECONDS) * 1000) };
}

/** Throws unless the message has exactly one signature with plain components. */
export function parseSignature({ fieldValues }: SignedMessage): ParsedSignature {
  const [label, input] = parseOnly(fieldValues("signature-input"), "Signature-Input");
  const [signedLabel, signed] = parseOnly(fieldValues("signature"), "Signature");
  if (label !== signedLabel) throw invalid("Signature and Signature-Input have different labels.");
  if (!isInnerList(input)) throw invalid("Signature-Input is not a list of components.");
  if (isInnerList(signed) || !(signed[0] instanceof ArrayBuffer)) throw invalid("Signature is not a byte sequence.");
  const [items, parameters] = input;
  const components = items.map(([name, itemParameters]) => {
    if (typeof name !== "string" || itemParameters.size > 0) throw invalid("Components must have no parameters.");
    return name;
  });
  if (new Set(components).size !== components.length) throw invalid("A component is covered twice.");
  return { bytes: Buffer.from(signed[0]), components, params: serializeInnerList(input), parameters };
}

/** Compares in constant time. */
export function isSignedWith(
  key: Buffer,
  { bytes, components, params }: ParsedSignature,
  message: SignedMessage,
): boolean {
  const values = components.map((name) => [name, valueOf(message, name)] as const);
  // Node.js decodes headers as Latin-1, so this restores the bytes that were sent.
  const base = Buffer.from(buildSignatureBase(values, params), "latin1");
  const expected = createHmac("sha256", key).update(base).digest();
  return bytes.length === expected.length && timingSafeEqual(bytes, expected);
}

function valueOf({ method, target, fieldValues }: SignedMessage, name: string): string {
  const queryStart = target.indexOf("?");
  switch (name) {
    case "@method":
      return method;
    case "@path":
      return queryStart === -1 ? target : target.slice(0, queryStart);
    case "@query":
      return queryStart === -1 ? "?" : target.slice(queryStart);
    case "@authority":
      return readField(fieldValues, "host").toLowerCase().replace(/:443$/, "");
    default:
      if (!FIELD_NAME.test(name)) throw invalid(`The component ${name.slice(0, 100)} is not supported.`);
      return readField(fieldValues, name);
  }
}

function readField(fieldValues: SignedMessage["fieldValues"], name: string): string {
  const values = fieldValues(name);
  if (values.length === 0) throw invalid(`The request has no header ${name.slice(0, 100)}.`);
  return values.map((value) => value.trim()).join(", ");
}

function checkDigest({ fieldValues }: SignedMessage, bodyBytes: Buffer): void {
  const [given] = parseHeader(fieldValues(DIGEST), "Content-Digest").get("sha-256") ?? [];
  if (!(given instanceof ArrayBuffer)) throw invalid("Content-Digest has no sha-256.");
  const expected = hash("sha256", bodyBytes, "buffer");
  if (!expected.equals(Buffer.from(given))) throw invalid("Content-Digest does not belong to the body.");
}

function readSeconds(value: unknown, name: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  throw invalid(`The parameter ${name} must be a whole number of seconds.`);
}

function parseOnly(values: readonly string[], header: string): readonly [label: string, value: Item | InnerList] {
  const members = [...parseHeader(values, header)];
  const [only] = members;
  if (only === undefined || members.length > 1) throw invalid(`${header} must have one signature.`);
  return only;
}

function parseHeader(values: readonly string[], header: string): Dictionary {
  const text = values.join(", ");
  if (text === "") throw invalid(`The header ${header} is missing.`);
  if (text.length > MAX_HEADER_LENGTH) throw invalid(`The header ${header} is too long.`);
  try {
    return parseDictionary(text);
  } catch {
    throw invalid(`The header ${header} is malformed.`);
  }
}

function invalid(details: string): Error {
  return messageSignatureError("INVALID", details);
}
