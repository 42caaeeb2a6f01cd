import type { LimitName } from "@swarmbase/sdk";
import type { FastifyReply, FastifyRequest } from "fastify";

/** One row of the route table. Who may call and what the call counts for are read here and nowhere else. */
export interface Route {
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Segments may be `:name`; a last segment may be `*`. */
  path: string;
  access: "public" | "apikey" | "user" | "service";
  limit: null | LimitName;
  /** With access "apikey": a bearer is not looked at, so a bad one does no harm. */
  isBearerIgnored?: boolean;
  /** A GET that is more than reading: HEAD is not answered by running it. */
  isHeadRefused?: boolean;
  /** What it returns, or a promise of it, is sent. */
  handler(request: FastifyRequest, reply: FastifyReply): unknown;
}
