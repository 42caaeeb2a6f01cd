import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

export type Encodable = number | string | Uint8Array | Map<number | string, Encodable> | readonly Encodable[];

/** CBOR, as far as authenticators need it. */
export function encodeCbor(value: Encodable): Buffer {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map) {
    return Buffer.concat([head(5, value.size), ...[...value].flat().map((item) => encodeCbor(item))]);
  }
  return Buffer.concat([head(4, value.length), ...value.map(encodeCbor)]);
}

function head(major: number, size: number): Buffer {
  const type = major << 5;
  if (size < 24) return Buffer.from([type | size]);
  return size < 256 ? Buffer.from([type | 24, size]) : Buffer.from([type | 25, size >> 8, size & 255]);
}

/** What the page passes to `navigator.credentials`, as JSON. */
export interface CeremonyOptions {
  readonly challenge: string;
  readonly rp?: { readonly id?: string };
  readonly rpId?: string;
  readonly user?: { readonly id: string };
  readonly excludeCredentials?: readonly { readonly id: string }[];
  readonly allowCredentials?: readonly { readonly id: string }[];
}

/** What a hostile or broken page or authenticator does otherwise. */
export interface Deviation {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly clientData?: Readonly<Record<string, unknown>>;
  readonly isVerified?: boolean;
  readonly isPresent?: boolean;
  readonly counter?: number;
  readonly handle?: string;
  /** Of the credential to use; default: the first that the options allow. */
  readonly id?: string;
  readonly statement?: readonly [format: string, content: Map<string, Encodable>];
}

interface StoredKey {
  readonly id: string;
  readonly rpId: string;
  readonly handle: string;
  readonly key: KeyObject;
  counter: number;
}

const VERIFIED = 4;
const HAS_CREDENTIAL = 64;

/** An authenticator with ES256 keys in memory, and the browser in front of it on a page of the origin. */
export class SoftwareAuthenticator {
  readonly keys: StoredKey[] = [];
  readonly #origin: string;
  readonly #step: number;

  /** With a step of 0 it has no counter, as authenticators whose passkeys are synchronised. */
  constructor(origin = "https://localhost:8443", step = 1) {
    this.#origin = origin;
    this.#step = step;
  }

  create(options: CeremonyOptions, deviation: Deviation = {}) {
    if (options.excludeCredentials?.some(({ id }) => this.keys.some((key) => key.id === id))) {
      throw new DOMException("The authenticator is registered already", "InvalidStateError");
    }
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    const key: StoredKey = {
      id: deviation.id ?? randomBytes(32).toString("base64url"),
      rpId: options.rp?.id ?? "",
      handle: options.user?.id ?? "",
      key: privateKey,
      counter: 0,
    };
    this.keys.push(key);
    const id = Buffer.from(key.id, "base64url");
    const cose = new Map<number, Encodable>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, "base64url")],
      [-3, Buffer.from(y, "base64url")],
    ]);
    const length = Buffer.from([id.length >> 8, id.length & 255]);
    const attested = Buffer.concat([Buffer.alloc(16), length, id, encodeCbor(cose)]);
    const authData = Buffer.concat([this.#head(key, HAS_CREDENTIAL, deviation), attested]);
    const [format, content] = deviation.statement ?? ["none", new Map<string, Encodable>()];
    const attestation = new Map<string, Encodable>([
      ["fmt", format],
      ["attStmt", content],
      ["authData", authData],
    ]);
    return {
      id: key.id,
      rawId: key.id,
      type: "public-key" as const,
      clientExtensionResults: {},
      response: {
        clientDataJSON: this.#clientData("webauthn.create", options, deviation).toString("base64url"),
        attestationObject: encodeCbor(attestation).toString("base64url"),
        transports: ["internal" as const],
      },
    };
  }

  get(options: CeremonyOptions, deviation: Deviation = {}) {
    const allowed = options.allowCredentials ?? [];
    const wanted = deviation.id ?? allowed[0]?.id;
    const key = this.keys.find(({ id, rpId }) => (wanted === undefined ? rpId === options.rpId : id === wanted));
    if (key === undefined) throw new DOMException("The authenticator has no such credential", "NotAllowedError");
    key.counter = deviation.counter ?? key.counter + this.#step;
    const authData = this.#head(key, 0, deviation);
    const clientData = this.#clientData("webauthn.get", options, deviation);
    const signed = Buffer.concat([authData, createHash("sha256").update(clientData).digest()]);
    return {
      id: key.id,
      rawId: key.id,
      type: "public-key" as const,
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientData.toString("base64url"),
        authenticatorData: authData.toString("base64url"),
        signature: sign("sha256", signed, key.key).toString("base64url"),
        userHandle: deviation.handle ?? key.handle,
      },
    };
  }

  /** Another authenticator with the same keys and counters. */
  copy(): SoftwareAuthenticator {
    const copy = new SoftwareAuthenticator(this.#origin, this.#step);
    for (const stored of this.keys) {
      const key = createPrivateKey(stored.key.export({ format: "pem", type: "pkcs8" }));
      copy.keys.push({ ...stored, key });
    }
    return copy;
  }

  #head(key: StoredKey, flag: number, { rpId = key.rpId, isVerified = true, isPresent = true }: Deviation): Buffer {
    const rest = Buffer.alloc(5);
    rest[0] = flag | (isPresent ? 1 : 0) | (isVerified ? VERIFIED : 0);
    rest.writeUInt32BE(key.counter, 1);
    return Buffer.concat([createHash("sha256").update(rpId).digest(), rest]);
  }

  #clientData(type: string, options: CeremonyOptions, deviation: Deviation): Buffer {
    const { challenge = options.challenge, origin = this.#origin } = deviation;
    const members = { type: deviation.type ?? type, challenge, origin, crossOrigin: false, ...deviation.clientData };
    return Buffer.from(JSON.stringify(members));
  }
}
