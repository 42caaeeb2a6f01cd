import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import * as der from "../../src/http/server/tls/der.ts";

interface TestCredential {
  readonly cert: string;
  readonly key: string;
}

const OID = {
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  commonName: "2.5.4.3",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
} as const;
const DNS_NAME = 2;
const IP_ADDRESS = 7;
const HOUR_MS = 3_600_000;

export interface TestAuthority extends TestCredential {
  /** A certificate for these names and addresses. */
  issue(names: readonly string[], validForMs?: number): TestCredential;
}

/** A certificate authority for tests. Unlike that of the product, it may sign certificates for any name. */
export function createTestAuthority(name: string): TestAuthority {
  const issuer = distinguishedName(name);
  const ca = certify(
    issuer,
    issuer,
    null,
    extension(OID.basicConstraints, der.sequence(der.encodeBoolean(true))),
    HOUR_MS,
  );
  return {
    ...ca,
    issue: (names, validForMs = HOUR_MS) =>
      certify(issuer, distinguishedName("leaf"), ca.key, extension(OID.subjectAltName, altNames(names)), validForMs),
  };
}

function certify(
  issuer: Buffer,
  subject: Buffer,
  issuerKey: string | null,
  extensions: Buffer,
  validForMs: number,
): TestCredential {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const algorithm = der.sequence(der.objectId(OID.ecdsaWithSha256));
  const notAfter = new Date(Date.now() + validForMs);
  const toBeSigned = der.sequence(
    der.contextConstructed(0, der.encodeInteger(Buffer.from([2]))),
    der.encodeInteger(randomBytes(8)),
    algorithm,
    issuer,
    der.sequence(der.time(new Date(Date.now() - 48 * HOUR_MS)), der.time(notAfter)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der.contextConstructed(3, der.sequence(extensions)),
  );
  const signature = sign("sha256", toBeSigned, issuerKey ?? key);
  const bytes = der.sequence(toBeSigned, algorithm, der.bitString(signature));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${bytes.toString("base64")}\n-----END CERTIFICATE-----\n`,
    key,
  };
}

function altNames(names: readonly string[]): Buffer {
  return der.sequence(
    ...names.map((name) =>
      isIP(name) === 0
        ? der.contextPrimitive(DNS_NAME, Buffer.from(name))
        : der.contextPrimitive(IP_ADDRESS, Buffer.from(ipaddr.parse(name).toByteArray())),
    ),
  );
}

function extension(oid: string, value: Buffer): Buffer {
  return der.sequence(der.objectId(oid), der.octetString(value));
}

function distinguishedName(name: string): Buffer {
  return der.sequence(der.set(der.sequence(der.objectId(OID.commonName), der.utf8String(name))));
}
