import { restError } from "../rest-error.ts";
import { decodePercent, undecodableError } from "./decode-text.ts";
import type { Method, RequestTarget } from "./parsed-request.ts";

export const METHODS: Readonly<Record<RequestTarget["kind"], readonly Method[]>> = {
  root: ["OPTIONS", "GET", "HEAD"],
  relation: ["OPTIONS", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
  rpc: ["OPTIONS", "GET", "HEAD", "POST"],
};

const PLAIN_RELATION = /^\/\w+$/;

/** Parses the path after the prefix: the root, a relation, or a function. */
export function parsePath(path: string): RequestTarget {
  if (path === "" || path === "/") return { kind: "root" };
  // The common case, without splitting the path.
  if (PLAIN_RELATION.test(path)) return { kind: "relation", name: path.slice(1) };
  const [start, ...segments] = path.split("/", 4).map(decodeSegment);
  if (start === "") {
    const [first = "", second = ""] = segments;
    if (segments.length === 1 && first !== "") return { kind: "relation", name: first };
    if (segments.length === 2 && first === "rpc" && second !== "") return { kind: "rpc", name: second };
  }
  throw restError("PGRST125", "Invalid path specified in request URL");
}

export function parseMethod(method: string, target: RequestTarget): Method {
  const methods = METHODS[target.kind];
  const known = methods.find((name) => name === method);
  if (known !== undefined) return known;
  const headers = { allow: methods.join(", ") };
  throw target.kind === "rpc"
    ? restError("PGRST101", `Cannot use the ${method} method on RPC`, { headers })
    : restError("PGRST117", `Unsupported HTTP method: ${method}`, { headers });
}

function decodeSegment(segment: string): string {
  const decoded = decodePercent(segment);
  if (decoded === null) throw undecodableError("path");
  return decoded;
}
