import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError } from "../../errors/index.ts";
import { isTooDeep, TOO_DEEP } from "../../json/index.ts";
import { hasBody } from "./has-body.ts";
import { keepRawBody } from "./request-signature.ts";

const TEXT_TYPES = ["text/csv", "text/plain", "text/xml", "application/x-www-form-urlencoded"];

const BYTES = "application/octet-stream";

/** JSON becomes a value, text a string, bytes a Buffer. Every other type is rejected. */
export function addBodyParsers(app: FastifyInstance): void {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  // Keys that would reach an object's prototype are rejected, not dropped: a client must not lose data silently.
  const parseJson = app.getDefaultJsonParser("error", "error");

  app.removeAllContentTypeParsers();
  for (const type of ["application/json", /^application\/[\w.-]+\+json(?:;|$)/]) {
    app.addContentTypeParser<Buffer>(type, { parseAs: "buffer" }, (request, body, done) => {
      // Clients send a JSON content type with requests that have no body.
      if (body.length === 0) return done(null, undefined);
      keepRawBody(request, body);
      let text: string;
      try {
        text = decoder.decode(body);
      } catch {
        return done(malformedBody(request, "must be UTF-8"));
      }
      if (isTooDeep(text)) return done(malformedBody(request, TOO_DEEP));
      void parseJson(request, text, (error, value) => {
        if (error) done(malformedBody(request, "must be valid JSON"));
        else done(null, value);
      });
    });
  }
  app.addContentTypeParser<Buffer>(TEXT_TYPES, { parseAs: "buffer" }, (request, body, done) => {
    keepRawBody(request, body);
    done(null, body.toString());
  });
  app.addContentTypeParser<Buffer>(BYTES, { parseAs: "buffer" }, (_request, body, done) => done(null, body));

  app.addHook("preParsing", (request, _reply, _payload, done) => {
    const { headers } = request.raw;
    if (request.routeOptions.config.acceptsAnyBody === true) {
      sentTypes.set(request, headers["content-type"]);
      // Fastify rejects a type that is not valid before any parser.
      if (hasBody(request.raw)) headers["content-type"] = BYTES;
      done();
      return;
    }
    const encoding = headers["content-encoding"];
    if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
      done(new AppError("UNSUPPORTED_MEDIA_TYPE", "Bodies with a Content-Encoding are not accepted"));
      return;
    }
    if (headers["content-type"] === undefined && hasBody(request.raw)) {
      done(new AppError("UNSUPPORTED_MEDIA_TYPE", "The request has a body and no Content-Type: send application/json"));
      return;
    }
    headers["content-type"] ??= "application/json";
    done();
  });
}

const sentTypes = new WeakMap<FastifyRequest, string | undefined>();

/** The headers as they were sent, whatever type the body has for the parser of a route that accepts any. */
export function sentHeadersOf(request: FastifyRequest): FastifyRequest["headers"] {
  if (!sentTypes.has(request)) return request.headers;
  const { "content-type": _, ...headers } = request.headers;
  const sent = sentTypes.get(request);
  return sent === undefined ? headers : { ...headers, "content-type": sent };
}

/** For routes that parse their bodies themselves. */
export function keepBodiesRaw(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser<Buffer>("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
}

function malformedBody(request: FastifyRequest, fault: string): AppError {
  const message = `The request body ${fault}`;
  return new AppError("VALIDATION_ERROR", message, {
    details: { body: fault },
    ...(request.url.startsWith("/auth/v1/") && {
      upstreamCode: "bad_json",
      members: { error_code: "bad_json", msg: message },
    }),
  });
}
