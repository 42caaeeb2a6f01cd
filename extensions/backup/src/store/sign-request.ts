import { createHash, createHmac } from "node:crypto";

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

export interface S3Request {
  readonly method: "GET" | "PUT" | "DELETE";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const ALGORITHM = "AWS4-HMAC-SHA256";

/** The headers of a request with its signature, version 4 of AWS. */
export function signRequest(
  { method, url, headers, body }: S3Request,
  { accessKeyId, secretAccessKey, region }: S3Credentials,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const date = time.slice(0, 8);
  const contentHash = createHash("sha256").update(body).digest("hex");
  const signed: Record<string, string> = {
    ...headers,
    host: url.host,
    "x-amz-content-sha256": contentHash,
    "x-amz-date": time,
  };
  const names = Object.keys(signed).sort();
  const query = [...url.searchParams]
    .map(([name, value]) => `${encodeStrictly(name)}=${encodeStrictly(value)}`)
    .sort()
    .join("&");
  const canonical = [
    method,
    url.pathname,
    query,
    ...names.map((name) => `${name}:${signed[name]}`),
    "",
    names.join(";"),
    contentHash,
  ].join("\n");
  const scope = `${date}/${region}/s3/aws4_request`;
  const text = [ALGORITHM, time, scope, createHash("sha256").update(canonical).digest("hex")].join("\n");
  const key = [date, region, "s3", "aws4_request"].reduce<Buffer | string>(
    (previous, part) => createHmac("sha256", previous).update(part).digest(),
    `AWS4${secretAccessKey}`,
  );
  const signature = createHmac("sha256", key).update(text).digest("hex");
  const { host: _, ...sent } = signed;
  return {
    ...sent,
    authorization: `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names.join(";")}, Signature=${signature}`,
  };
}

/** As the signature requires: everything but unreserved characters. */
export function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
