/** How a trigger recognizes its sender. */
export interface TriggerScheme {
  readonly verification: "stripe" | "github" | "slack" | "standard_webhooks" | "hmac" | "bearer";
  /** The four of `hmac`. */
  readonly signatureHeader: string;
  readonly signatureAlgorithm: "sha256" | "sha512" | "sha1";
  readonly signatureEncoding: "hex" | "base64";
  readonly signaturePrefix: string;
  readonly replayWindowSeconds: number;
}

export interface SignedCall {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  readonly nowMs: number;
}

/** What a call says to prove its sender, and how the proof is computed: a MAC of the prefix and the body. */
interface Claim {
  readonly algorithm: string;
  readonly encoding: "hex" | "base64";
  readonly key: string | Buffer;
  readonly prefix: string;
  /** One of them has to be right: senders sign with several secrets while they replace one. */
  readonly candidates: readonly string[];
  /** Null means that the sender signs no time. NaN, which is never recent, if it should have. */
  readonly sentAtMs: number | null;
}

const MAX_CANDIDATES = 10;
const HEX: Pick<Claim, "algorithm" | "encoding"> = { algorithm: "sha256", encoding: "hex" };

export function readClaim(scheme: TriggerScheme, secret: string, { headers }: SignedCall): Claim {
  switch (scheme.verification) {
    case "stripe": {
      const parts = (headers["stripe-signature"] ?? "").split(",").map((part) => part.trim());
      const time = findValues(parts, "t=")[0] ?? "";
      const candidates = findValues(parts, "v1=").slice(0, MAX_CANDIDATES);
      return { ...HEX, key: secret, prefix: `${time}.`, candidates, sentAtMs: toMs(time) };
    }
    case "github": {
      const candidates = findValues([headers["x-hub-signature-256"] ?? ""], "sha256=");
      return { ...HEX, key: secret, prefix: "", candidates, sentAtMs: null };
    }
    case "slack": {
      const time = headers["x-slack-request-timestamp"] ?? "";
      const candidates = findValues([headers["x-slack-signature"] ?? ""], "v0=");
      return { ...HEX, key: secret, prefix: `v0:${time}:`, candidates, sentAtMs: toMs(time) };
    }
    case "standard_webhooks": {
      const time = readStandardHeader(headers, "timestamp");
      const signatures = readStandardHeader(headers, "signature").split(" ");
      const candidates = findValues(signatures, "v1,").slice(0, MAX_CANDIDATES);
      const prefix = `${readStandardHeader(headers, "id")}.${time}.`;
      return { algorithm: "sha256", encoding: "base64", key: toKey(secret), prefix, candidates, sentAtMs: toMs(time) };
    }
    case "hmac": {
      const { signatureHeader, signatureAlgorithm: algorithm, signatureEncoding: encoding, signaturePrefix } = scheme;
      const sent = findValues([headers[signatureHeader.toLowerCase()] ?? ""], signaturePrefix);
      const candidates = encoding === "hex" ? sent.map((text) => text.toLowerCase()) : sent;
      return { algorithm, encoding, key: secret, prefix: "", candidates, sentAtMs: null };
    }
    case "bearer": {
      const token = /^Bearer +(\S+)$/i.exec(headers["authorization"] ?? "")?.[1];
      return { ...HEX, key: secret, prefix: "", candidates: token === undefined ? [] : [token], sentAtMs: null };
    }
  }
}

/** Svix sends the same headers under its own name. */
export function readStandardHeader(headers: SignedCall["headers"], name: "id" | "timestamp" | "signature"): string {
  return headers[`webhook-${name}`] ?? headers[`svix-${name}`] ?? "";
}

/** The bytes of a secret of Standard Webhooks, which is base64 after `whsec_`. */
export function toKey(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ""), "base64");
}

/** What follows the prefix in the parts that begin with it. */
function findValues(parts: readonly string[], prefix: string): readonly string[] {
  return parts.filter((part) => part.startsWith(prefix)).map((part) => part.slice(prefix.length));
}

function toMs(seconds: string): number {
  return /^\d{1,12}$/.test(seconds) ? Number(seconds) * 1_000 : Number.NaN;
}
