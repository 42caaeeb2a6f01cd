import type { Schema } from "../openapi/document.ts";
import { record, TEXT } from "../schemas/schema-parts.ts";
import { inPath, inQuery, type OperationTexts, refer } from "./operation-text.ts";

const statusOf = (status: string): Schema =>
  record(
    { status: { type: "string", const: status }, version: TEXT },
    {
      restored_copy: {
        type: "string",
        const: "held",
        description:
          "The database is a restored copy: deliveries, agent runs and mails are held until `swarmbase resume`.",
      },
      limit_store: {
        type: "string",
        const: "unavailable",
        description: "The server of `REDIS_URL` cannot be reached, so this node counts limits by itself.",
      },
    },
  );

/** Of the service as a whole: probes, these documents, and broadcasts without a socket. */
export const SERVICE_OPERATIONS: OperationTexts = {
  "GET /health": {
    id: "getHealth",
    summary: "Check that the process is alive",
    answers: {
      200: { description: "The process is alive", schema: statusOf("ok"), example: { status: "ok", version: "0.1.0" } },
    },
  },
  "GET /ready": {
    id: "getReadiness",
    summary: "Check that the service can serve requests, including writes",
    description:
      "Returns 503 with the reason in `message` when the database cannot be reached, accepts no writes (a standby, or `default_transaction_read_only`), has no free connection or no disk space, or when the service is stopping.",
    answers: {
      200: {
        description: "The service can serve requests",
        schema: statusOf("ready"),
        example: { status: "ready", version: "0.1.0" },
      },
    },
    errors: ["SERVICE_UNAVAILABLE"],
  },
  "GET /.well-known/tool-calls.json": {
    id: "getToolCallKeys",
    summary: "Get the public keys of tool calls",
    description:
      'For servers of HTTP tools with `identity: "required"`, which verify for whom they are called. Cache the keys for up to ten minutes, and request them again for an unknown `kid`.',
    answers: {
      200: {
        description: "A JSON Web Key Set",
        schema: refer("KeySet"),
        example: { keys: [{ kty: "OKP", crv: "Ed25519", alg: "EdDSA", use: "sig", kid: "4f…", x: "…" }] },
        headers: { "Cache-Control": "how long the response may be cached" },
      },
    },
  },
  "GET /openapi.json": {
    id: "getOpenApi",
    summary: "This document",
    answers: {
      200: {
        description: "OpenAPI 3.1",
        schema: { type: "object", additionalProperties: true },
        headers: { ETag: "for `If-None-Match`" },
      },
    },
  },
  "GET /reference": {
    id: "getReferencePage",
    summary: "This document as an HTML page",
    answers: {
      200: {
        description: "HTML",
        mediaType: "text/html",
        schema: TEXT,
        headers: { ETag: "for `If-None-Match`" },
      },
    },
  },
  "GET /reference/{file}": {
    id: "getReferenceFile",
    summary: "Style sheet and script of the page",
    parameters: [inPath("file", "the name", { type: "string", enum: ["reference.css", "reference.js"] })],
    answers: {
      200: {
        description: "The file",
        mediaType: "text/*",
        schema: TEXT,
        headers: { ETag: "for `If-None-Match`" },
      },
    },
    errors: ["NOT_FOUND"],
  },
  "GET /realtime/v1/websocket": {
    id: "openSocket",
    summary: "Open a socket for changes, broadcasts and presence",
    description:
      "A WebSocket with the Phoenix protocol, as in supabase-js. The key is in the query, because browsers cannot set headers on a WebSocket. Clients send the access token when they join a channel. The service sends changes of a row to clients that may read the row.",
    parameters: [
      { ...inQuery("apikey", "the anon or service role key"), required: true },
      inQuery("vsn", "version of the frames", { type: "string", enum: ["1.0.0", "2.0.0"], default: "1.0.0" }),
    ],
    answers: { 101: { description: "The connection is now a WebSocket" } },
    errors: ["BAD_REQUEST", "UNAUTHORIZED", "NOT_FOUND", "RATE_LIMITED", "SERVICE_UNAVAILABLE"],
    javascript: `supabase.channel("agents")
  .on("postgres_changes", { event: "UPDATE", schema: "public", table: "agents" }, ({ new: agent }) => console.log(agent.status))
  .subscribe();`,
  },
  "POST /realtime/v1/api/broadcast": {
    id: "broadcastMessages",
    summary: "Broadcast several messages without a socket",
    description: "All messages are sent, or none. For a private topic, the policies of `realtime.messages` decide.",
    body: {
      examples: {
        "one message": { messages: [{ topic: "room-1", event: "typing", payload: { who: "Ada" }, private: false }] },
      },
    },
    answers: { 202: { description: "Sent to all subscribers" } },
    errors: [["VALIDATION_ERROR", 422], "VALIDATION_ERROR", "FORBIDDEN", "PAYLOAD_TOO_LARGE"],
    javascript: `await supabase.channel("room-1").httpSend("typing", { who: "Ada" });`,
  },
  "POST /realtime/v1/api/broadcast/{topic}/events/{event}": {
    id: "broadcastEvent",
    summary: "Broadcast one message without a socket",
    parameters: [
      inPath("topic", "the topic, without the prefix `realtime:`", TEXT),
      inPath("event", "its name", TEXT),
      inQuery("private", "whether the topic is private", { type: "string", enum: ["true", "false"] }),
      inQuery("persist", "whether the message is stored for replay; only for private topics", {
        type: "string",
        enum: ["true", "false"],
      }),
    ],
    body: { examples: { "any JSON": { who: "Ada" } } },
    answers: { 202: { description: "Sent to all subscribers" } },
    errors: [["VALIDATION_ERROR", 422], "VALIDATION_ERROR", "BAD_REQUEST", "FORBIDDEN", "PAYLOAD_TOO_LARGE"],
  },
};

/** Bodies that no schema of the server stands for. */
export const WRITTEN_BODIES: Readonly<Record<string, Schema>> = {
  "POST /realtime/v1/api/broadcast": record({
    messages: {
      type: "array",
      maxItems: 1_000,
      items: record(
        { topic: TEXT, event: TEXT, payload: { description: "any JSON" } },
        { private: { type: "boolean", default: false } },
      ),
    },
  }),
  "POST /realtime/v1/api/broadcast/{topic}/events/{event}": { description: "any JSON, or bytes" },
};
