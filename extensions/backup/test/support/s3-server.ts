import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Cleanup } from "../../../../server/test/support/database.ts";

export interface S3Server {
  readonly url: string;
  readonly objects: Map<string, Buffer>;
  /** The next requests are answered with 503. */
  failNext(count: number): void;
  readonly rejected: string[];
}

export const S3_CREDENTIALS = { accessKeyId: "TESTKEY", secretAccessKey: "test+secret/key", region: "eu-test-1" };
const BUCKET = "bucket";
const PAGE = 3;

/** A bucket in memory, which rejects requests whose signature it does not compute itself from the specification. */
export async function startS3Server(t: Cleanup): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const rejected: string[] = [];
  let failing = 0;
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const send = (status: number, content: string | Buffer = ""): void => void response.writeHead(status).end(content);
    if (failing > 0) {
      failing -= 1;
      return send(503, "<Error><Code>SlowDown</Code></Error>");
    }
    const fault = findSignatureFault(request, body);
    if (fault !== null) {
      rejected.push(fault);
      return send(403, "<Error><Code>SignatureDoesNotMatch</Code><Message>secret detail</Message></Error>");
    }
    const { pathname, searchParams } = new URL(request.url ?? "", "http://bucket");
    if (pathname === `/${BUCKET}`) return send(200, renderList(objects, searchParams));
    const name = decodeURIComponent(pathname.slice(BUCKET.length + 2));
    if (request.method === "PUT") {
      if (request.headers["if-none-match"] === "*" && objects.has(name)) return send(412);
      objects.set(name, body);
      return send(200);
    }
    if (request.method === "DELETE") return send(objects.delete(name) ? 204 : 404);
    const found = objects.get(name);
    return found === undefined ? send(404, "<Error><Code>NoSuchKey</Code></Error>") : send(200, found);
  };
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  t.after(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/${BUCKET}`,
    objects,
    rejected,
    failNext: (count) => {
      failing = count;
    },
  };
}

function renderList(objects: ReadonlyMap<string, Buffer>, query: URLSearchParams): string {
  const after = query.get("continuation-token") ?? "";
  const names = [...objects.keys()].filter((name) => name.startsWith(query.get("prefix") ?? "")).sort();
  const rest = names.filter((name) => name > after);
  const page = rest.slice(0, PAGE);
  const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const keys = page.map((name) => `<Contents><Key>${escape(name)}</Key></Contents>`).join("");
  const next = rest.length > PAGE ? `<NextContinuationToken>${escape(page.at(-1) ?? "")}</NextContinuationToken>` : "";
  return `<ListBucketResult>${keys}${next}</ListBucketResult>`;
}

/** By the steps of "Signature calculations for the Authorization header" of the S3 API reference. */
function findSignatureFault(request: IncomingMessage, body: Buffer): string | null {
  const header = request.headers.authorization ?? "";
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      header,
    );
  if (match === null) return "the header is malformed";
  const [, id = "", date = "", region = "", names = "", signature = ""] = match;
  if (id !== S3_CREDENTIALS.accessKeyId || region !== S3_CREDENTIALS.region) return "another key or region";
  const hash = createHash("sha256").update(body).digest("hex");
  if (request.headers["x-amz-content-sha256"] !== hash) return "the body was changed";
  for (const required of ["host", "x-amz-date", "x-amz-content-sha256"])
    if (!names.split(";").includes(required)) return `${required} is not signed`;
  const [path = "", query = ""] = (request.url ?? "").split("?");
  const headers = names.split(";").map((name) => `${name}:${String(request.headers[name]).trim()}\n`);
  const canonical = `${request.method}\n${path}\n${query.split("&").sort().join("&")}\n${headers.join("")}\n${names}\n${hash}`;
  const stamp = String(request.headers["x-amz-date"]);
  if (!stamp.startsWith(date)) return "the dates differ";
  const scope = `${date}/${region}/s3/aws4_request`;
  const toSign = `AWS4-HMAC-SHA256\n${stamp}\n${scope}\n${createHash("sha256").update(canonical).digest("hex")}`;
  const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
  const key = hmac(hmac(hmac(hmac(`AWS4${S3_CREDENTIALS.secretAccessKey}`, date), region), "s3"), "aws4_request");
  return hmac(key, toSign).toString("hex") === signature ? null : `wrong signature of ${request.method} ${request.url}`;
}
