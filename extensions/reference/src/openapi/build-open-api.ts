import { API_VERSION, LIMITS } from "@swarmbase/sdk";
import type { DescribedRoute, InterfaceDescription } from "swarmbase/extension";
import { NOT_OFFERED } from "../operations/not-offered.ts";
import { type AnswerText, type OperationText, refer } from "../operations/operation-text.ts";
import { WRITTEN_BODIES } from "../operations/service-operations.ts";
import { ACCOUNT_SCHEMAS } from "../schemas/account-schemas.ts";
import { errorSchemas } from "../schemas/error-schemas.ts";
import { RUN_SCHEMAS } from "../schemas/run-schemas.ts";
import { STREAM_SCHEMAS } from "../schemas/stream-schemas.ts";
import { SETTINGS_SCHEMAS } from "../schemas/settings-schemas.ts";
import { EXTENSION_ROUTES } from "./extension-routes.ts";
import { describeErrors, HEADERS, LIMIT_HEADERS, SHARED_RESPONSES } from "./describe-errors.ts";
import { describeWebhooks, EVENTS_TAG, eventSchemas } from "./describe-events.ts";
import type { OpenApiDocument, Operation, Response, Schema } from "./document.ts";
import { describeTables, TABLES_TAG } from "./describe-tables.ts";
import { type CurlCall, renderCurl } from "./render-curl.ts";
import { TABLE_HEADERS, TABLE_RESPONSES } from "./table-responses.ts";
import { TAGS } from "./tags.ts";
import { describeBody } from "./describe-body.ts";

const DESCRIPTION = `The whole interface over HTTP. Tables are served under \`/rest/v1/\` in the query language of PostgREST; \`GET /rest/v1/\` also describes the tables that an operator has added.

Send \`apikey\` with every call and, where a user or the service role is required, \`Authorization: Bearer\`. Errors are JSON objects whose \`code\` is from a closed list. Responses to counted calls have the rate-limit state in \`X-RateLimit-*\`.`;

const SECURITY: Readonly<Record<CurlCall["access"], Operation["security"]>> = {
  public: [],
  apikey: [{ apikey: [] }],
  bearer: [{ apikey: [], bearer: [] }],
  account: [{ apikey: [], bearer: [] }],
  user: [{ apikey: [], bearer: [] }],
  service: [{ apikey: [], serviceRole: [] }],
};

/** The routes of this extension. A test compares them with those that it registers. */
const OWN_ROUTES: readonly DescribedRoute[] = [
  { method: "GET", path: "/openapi.json", access: "public", limits: [] },
  { method: "GET", path: "/reference", access: "public", limits: [] },
  { method: "GET", path: "/reference/{file}", access: "public", limits: [] },
];

/** The whole document. Throws when a route has no text, or a text no route. */
export function buildOpenApi({ routes: coreRoutes, authErrors }: InterfaceDescription): OpenApiDocument {
  const texts = new Map(
    TAGS.flatMap(({ name, operations }) =>
      Object.entries(operations).map(([key, text]) => [key, { tag: name, text }] as const),
    ),
  );
  const routes = new Map(
    [...coreRoutes, ...EXTENSION_ROUTES, ...OWN_ROUTES].map((route) => [`${route.method} ${route.path}`, route]),
  );
  const notOffered = Object.entries(NOT_OFFERED).map(([key, code]) => {
    if (!routes.delete(key)) throw new Error(`${key} is described and not served`);
    const [method = "", path = ""] = key.split(" ");
    return { method, path, status: authErrors[code].status, code };
  });
  const unserved = [...texts.keys()].find((key) => !routes.has(key));
  if (unserved !== undefined) throw new Error(`${unserved} is described and not served`);
  const paths: Record<string, Record<string, Operation>> = {};
  // Sorted by tag, so that related operations are next to each other in the document.
  for (const [key, { tag, text }] of texts) {
    const route = routes.get(key);
    if (route === undefined) continue;
    routes.delete(key);
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: describeOperation(route, { tag, text, authErrors }),
    };
  }
  const [undescribed] = routes.keys();
  if (undescribed !== undefined) throw new Error(`${undescribed} is served and not described`);
  const tables = describeTables();
  return {
    openapi: "3.1.0",
    jsonSchemaDialect: "https://json-schema.org/draft/2020-12/schema",
    info: {
      title: "Swarmbase",
      version: API_VERSION,
      summary: "Agents, swarms, webhooks and accounts over HTTPS",
      description: DESCRIPTION,
      license: { name: "Apache 2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "Where this document is served" }],
    tags: [TABLES_TAG, ...TAGS.map(({ name, description }) => ({ name, description })), EVENTS_TAG],
    paths: { ...tables.paths, ...paths },
    webhooks: describeWebhooks(),
    components: {
      schemas: {
        ...errorSchemas(authErrors),
        ...RUN_SCHEMAS,
        ...STREAM_SCHEMAS,
        ...ACCOUNT_SCHEMAS,
        ...SETTINGS_SCHEMAS,
        ...eventSchemas(),
        ...tables.schemas,
      },
      responses: usedOf({ ...SHARED_RESPONSES, ...TABLE_RESPONSES }, [paths, tables.paths]),
      parameters: tables.parameters,
      headers: { ...HEADERS, ...TABLE_HEADERS },
      securitySchemes: {
        apikey: { type: "apiKey", in: "header", name: "apikey", description: "The anon or the service role key" },
        bearer: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "The access token of a session; where a user need not be meant, also one of the keys",
        },
        serviceRole: {
          type: "http",
          scheme: "bearer",
          description: "The service role key. Never placed in client code: it passes all row-level rules.",
        },
      },
    },
    "x-not-offered": notOffered,
  };
}

/** Without those that no operation refers to. */
function usedOf(responses: Readonly<Record<string, Response>>, paths: readonly object[]): Record<string, Response> {
  const text = JSON.stringify(paths);
  return Object.fromEntries(
    Object.entries(responses).filter(([name]) => text.includes(`"#/components/responses/${name}"`)),
  );
}

/** Tools expect a 2xx of every operation. A redirect and a change of the protocol have none. */
const OTHER_ANSWER: Response = {
  description: "Any other status is an error",
  content: { "application/json": { schema: refer("Error") } },
};

interface Described {
  readonly tag: string;
  readonly text: OperationText;
  readonly authErrors: InterfaceDescription["authErrors"];
}

function describeOperation(route: DescribedRoute, { tag, text, authErrors }: Described): Operation {
  const { method, path, access } = route;
  const limits = [...new Set([...route.limits, ...(text.alsoCounts ?? [])])];
  const body = bodyOf(route, text);
  const errors = describeErrors(text.errors ?? [], {
    isAuth: path.startsWith("/auth/v1/"),
    isPublic: access === "public",
    isForService: access === "service",
    isLimited: limits.length > 0,
    hasBody: body !== null,
    authErrors,
  });
  const answers = Object.entries(text.answers).map(([status, answer]) => [
    status,
    describeAnswer(answer, limits.length > 0),
  ]);
  return {
    operationId: text.id,
    tags: [tag],
    summary: text.summary,
    ...(text.description !== undefined && { description: text.description }),
    security: SECURITY[access],
    ...(text.parameters !== undefined && { parameters: text.parameters }),
    ...(body !== null &&
      text.body !== undefined && {
        requestBody: {
          required: text.body.isOptional !== true,
          content: {
            "application/json": {
              schema: body,
              examples: Object.fromEntries(
                Object.entries(text.body.examples).map(([name, value]) => [name, { value }]),
              ),
            },
          },
        },
      }),
    responses: {
      ...errors,
      ...(Object.fromEntries(answers) as Record<string, Response>),
      ...(!Object.keys(text.answers).some((status) => status.startsWith("2")) && { default: OTHER_ANSWER }),
    },
    ...(text.answersByAction !== undefined && { "x-answers-by-action": text.answersByAction }),
    "x-limits": limits.map((name) => LIMITS[name].name),
    "x-codeSamples": samplesOf({ method, path, access }, text),
  };
}

function bodyOf({ method, path, body }: DescribedRoute, text: OperationText): Schema | null {
  const written = WRITTEN_BODIES[`${method} ${path}`];
  if (written !== undefined) return written;
  if (body === undefined) return null;
  if (text.body === undefined) throw new Error(`${method} ${path} has a body without a text`);
  return describeBody(body, text.body);
}

function describeAnswer(answer: AnswerText, isLimited: boolean): Response {
  const { description, schema, example, stream, headers = {}, mediaType = "application/json" } = answer;
  const own = Object.entries(headers).map(([name, words]) => [
    name,
    { description: words, schema: { type: "string" } },
  ]);
  return {
    description,
    headers: {
      "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" },
      ...(isLimited && LIMIT_HEADERS),
      ...(Object.fromEntries(own) as Record<string, never>),
    },
    ...(schema !== undefined && {
      content: {
        [mediaType]: { schema, ...(example !== undefined && { example }) },
        ...(stream !== undefined && { "text/event-stream": { schema: stream } }),
      },
    }),
  };
}

function samplesOf(
  { method, path, access }: Pick<CurlCall, "method" | "path" | "access">,
  { parameters = [], body, javascript }: OperationText,
): NonNullable<Operation["x-codeSamples"]> {
  const [firstExample] = Object.entries(body?.examples ?? {});
  const required = parameters.filter((parameter) => parameter.in === "query" && parameter.required === true);
  const query = required.map(({ name }) => `${name}=${name === "apikey" ? "$ANON_KEY" : (firstExample?.[0] ?? "")}`);
  const curl = renderCurl({
    method,
    path,
    access,
    query: query.length === 0 ? "" : `?${query.join("&")}`,
    body: firstExample?.[1],
  });
  return [
    { lang: "shell", label: "curl", source: curl },
    ...(javascript === undefined ? [] : [{ lang: "javascript", label: "supabase-js", source: javascript }]),
  ];
}
