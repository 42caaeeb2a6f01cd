import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type X509Certificate,
} from "node:crypto";
import * as der from "./der.ts";

/** A certificate and its private key, both in PEM form. */
export interface Credential {
  cert: string;
  key: string;
}

/** A server certificate, and one for the name alone with the same key. */
export interface Leaf extends Credential {
  nameCert: string;
}

interface ValidityPeriod {
  notBefore: Date;
  notAfter: Date;
}

const OID = {
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  commonName: "2.5.4.3",
  organization: "2.5.4.10",
  subjectKeyId: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  nameConstraints: "2.5.29.30",
  authorityKeyId: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
} as const;

const LOOPBACK_V4 = Buffer.from([127, 0, 0, 1]);
const LOOPBACK_V6 = Buffer.from([...Array<number>(15).fill(0), 1]);
const KEY_ID_BYTES = 20;
const ECDSA_WITH_SHA256 = der.sequence(der.objectId(OID.ecdsaWithSha256));
/** Of a sequence with 256 to 65,535 bytes, as every certificate here is. */
const OUTER_HEADER_BYTES = 4;

// Tag numbers inside a GeneralName.
const DNS_NAME = 2;
const IP_ADDRESS = 7;

/** Creates an authority that is restricted to loopback names, so that trusting it risks nothing else. */
export function makeAuthority(validity: ValidityPeriod): Credential {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spki = publicKey.export({ type: "spki", format: "der" });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const content = authorityContent(spki, validity);
  return { cert: signCertificate(content, key), key };
}

/**
 * The name of an authority that makeAuthority made, null for any other certificate: only the key, the serial number, the dates and
 * the signature may differ, so that it has the same restrictions.
 */
export function findAuthorityName(certificate: X509Certificate): string | null {
  const { publicKey, serialNumber, validFromDate: notBefore, validToDate: notAfter, raw } = certificate;
  const spki = publicKey.export({ type: "spki", format: "der" });
  const serial = Buffer.from(serialNumber, "hex");
  const expected = buildToBeSigned({ ...authorityContent(spki, { notBefore, notAfter }), serial });
  const isSame = raw.subarray(OUTER_HEADER_BYTES, OUTER_HEADER_BYTES + expected.length).equals(expected);
  return isSame && certificate.verify(publicKey) ? commonNameOf(keyId(spki)) : null;
}

function authorityContent(spki: Buffer, validity: ValidityPeriod): CertificateContent {
  const name = authorityName(keyId(spki));
  const subtree = (general: Buffer) => der.sequence(general);
  const v4Range = Buffer.concat([Buffer.from([127, 0, 0, 0]), Buffer.from([255, 0, 0, 0])]);
  const v6Range = Buffer.concat([LOOPBACK_V6, Buffer.alloc(16, 0xff)]);
  const extensions = [
    extension(OID.basicConstraints, der.sequence(der.encodeBoolean(true), der.encodeInteger(Buffer.from([0]))), true),
    extension(OID.keyUsage, der.bitString(Buffer.from([0b0000_0110]), 1), true), // keyCertSign, cRLSign
    extension(OID.subjectKeyId, der.octetString(keyId(spki))),
    extension(
      OID.nameConstraints,
      der.sequence(
        der.contextConstructed(
          0,
          subtree(der.contextPrimitive(DNS_NAME, Buffer.from("localhost"))),
          subtree(der.contextPrimitive(IP_ADDRESS, v4Range)),
          subtree(der.contextPrimitive(IP_ADDRESS, v6Range)),
        ),
      ),
      true,
    ),
  ];
  return { issuer: name, subject: name, spki, validity, extensions };
}

/**
 * A server certificate for localhost, 127.0.0.1 and ::1, and one for localhost alone. BoringSSL, which Bun and workerd verify with,
 * rejects every certificate with an IP address under an authority that is restricted to some.
 */
export function makeLeaf(authority: Credential, validity: ValidityPeriod): Leaf {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spki = publicKey.export({ type: "spki", format: "der" });
  const authorityKeyId = keyId(createPublicKey(authority.key).export({ type: "spki", format: "der" }));
  const certify = (...names: Buffer[]): string =>
    signCertificate(
      {
        issuer: authorityName(authorityKeyId),
        subject: distinguishedName([[OID.commonName, "localhost"]]),
        spki,
        validity,
        extensions: [
          extension(OID.basicConstraints, der.sequence(), true),
          extension(OID.keyUsage, der.bitString(Buffer.from([0b1000_0000]), 7), true), // digitalSignature
          extension(OID.extendedKeyUsage, der.sequence(der.objectId(OID.serverAuth))),
          extension(OID.subjectAltName, der.sequence(...names)),
          extension(OID.subjectKeyId, der.octetString(keyId(spki))),
          extension(OID.authorityKeyId, der.sequence(der.contextPrimitive(0, authorityKeyId))),
        ],
      },
      authority.key,
    );
  const name = der.contextPrimitive(DNS_NAME, Buffer.from("localhost"));
  const addresses = [LOOPBACK_V4, LOOPBACK_V6].map((address) => der.contextPrimitive(IP_ADDRESS, address));
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return { cert: certify(name, ...addresses), nameCert: certify(name), key };
}

interface CertificateContent {
  issuer: Buffer;
  subject: Buffer;
  spki: Buffer;
  validity: ValidityPeriod;
  extensions: Buffer[];
}

function signCertificate(content: CertificateContent, signingKey: string): string {
  const toBeSigned = buildToBeSigned({ ...content, serial: randomBytes(16) });
  const signature = sign("sha256", toBeSigned, createPrivateKey(signingKey));
  return toPem(der.sequence(toBeSigned, ECDSA_WITH_SHA256, der.bitString(signature)));
}

function buildToBeSigned({
  issuer,
  subject,
  spki,
  validity,
  extensions,
  serial,
}: CertificateContent & { serial: Buffer }): Buffer {
  const version3 = der.contextConstructed(0, der.encodeInteger(Buffer.from([2])));
  return der.sequence(
    version3,
    der.encodeInteger(serial),
    ECDSA_WITH_SHA256,
    issuer,
    der.sequence(der.time(validity.notBefore), der.time(validity.notAfter)),
    subject,
    spki,
    der.contextConstructed(3, der.sequence(...extensions)),
  );
}

function extension(oid: string, value: Buffer, isCritical = false): Buffer {
  return der.sequence(der.objectId(oid), ...(isCritical ? [der.encodeBoolean(true)] : []), der.octetString(value));
}

/** Contains part of the key id, so that two authorities in one trust store can be told apart. */
function authorityName(id: Buffer): Buffer {
  return distinguishedName([
    [OID.organization, "Swarmbase"],
    [OID.commonName, commonNameOf(id)],
  ]);
}

function commonNameOf(id: Buffer): string {
  return `Swarmbase local authority ${id.toString("hex").slice(0, 8)}`;
}

function distinguishedName(names: [oid: string, text: string][]): Buffer {
  return der.sequence(...names.map(([oid, text]) => der.set(der.sequence(der.objectId(oid), der.utf8String(text)))));
}

function keyId(spki: Buffer): Buffer {
  return createHash("sha256").update(spki).digest().subarray(0, KEY_ID_BYTES);
}

export function toPem(bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
