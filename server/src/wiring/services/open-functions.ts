import { createSchemaCompiler } from "../../agents/index.ts";
import {
  answerInvitation,
  createInvitationLink,
  createPortalLink,
  createUserKey,
  findSecretInvitation,
  regenerateSigningSecret,
  removeSigningSecret,
  revokeUserKey,
  translateScopeError,
} from "../../auth/index.ts";
import {
  createAgentGrants,
  createAgentRespond,
  createApiKeys,
  createBatch,
  createEvents,
  createInvitations,
  createRequestSigning,
  createTestWebhook,
  createTools,
  createWebhookDispatcher,
  createWebhooks,
  type NamedFunction,
} from "../../functions/index.ts";
import {
  type CallerPorts,
  commitFeed,
  createEmitBatches,
  DataSchemas,
  type EmitPorts,
  emitEvents,
  type FeedPorts,
  readFeed,
} from "../../webhooks/index.ts";
import { guardCalls } from "../copy-hold.ts";
import type { OpenNodeContext } from "../node-context.ts";
import type { Services } from "./services.ts";

/** How many compiled schemas of the app's events are cached. */
const MAX_SCHEMAS = 200;

/** The functions under `/functions/v1/`. Those that would do the work of a restored copy's original are guarded. */
export function openFunctions(
  { auth, agents, rest, webhooks }: Pick<Services, "auth" | "agents" | "rest" | "webhooks">,
  { database, settings, copyHold }: Pick<OpenNodeContext, "database" | "settings" | "copyHold">,
): readonly NamedFunction[] {
  const schemas = createSchemaCompiler({ maxKept: MAX_SCHEMAS });
  const callerPorts: CallerPorts = {
    database,
    statementTimeoutMs: settings.dbStatementTimeoutMs,
    translateEnter: translateScopeError,
    onWork: () => webhooks.wake(),
  };
  const emitPorts: EmitPorts = {
    ...callerPorts,
    batches: createEmitBatches(callerPorts),
    schemas: new DataSchemas({
      pool: database.service,
      compile(schema) {
        const compiled = schemas.compile(schema);
        return (data) => (compiled.ok ? compiled.findFault(data, "the data") : `the schema ${compiled.fault}`);
      },
    }),
  };
  const feedPorts: FeedPorts = {
    ...callerPorts,
    waits: webhooks.feedWaits,
    reserveStream: (principal) => agents.respond.reserveStream(principal),
  };
  const requireReleased = (): void => copyHold.requireReleased();
  return [
    createAgentRespond(guardCalls(agents.respond, ["start"], requireReleased)),
    createAgentGrants((given) => agents.answerGrant(given)),
    createTools({
      ...guardCalls(agents.tools, ["listRemote", "importRemote", "test"], requireReleased),
      authorizations: guardCalls(wakeAfterSignIn(agents), ["start", "connect", "finish", "revoke"], requireReleased),
    }),
    createBatch(rest),
    createEvents({
      emit: (call) => emitEvents(emitPorts, call),
      read: (call) => readFeed(feedPorts, call),
      commit: (call) => commitFeed(feedPorts, call),
    }),
    createTestWebhook(guardCalls(webhooks, ["testWebhook"], requireReleased)),
    createWebhooks(webhooks, (userId) => createPortalLink(auth, userId)),
    createWebhookDispatcher(guardCalls(webhooks, ["retryDelivery", "sendNow"], requireReleased)),
    createRequestSigning({
      regenerate: (change) => regenerateSigningSecret(auth, change),
      remove: (change) => removeSigningSecret(auth, change),
    }),
    createApiKeys({
      create: (request) => createUserKey(auth, request),
      revoke: (request) => revokeUserKey(auth, request),
    }),
    createInvitations({
      createLink: (request) => createInvitationLink(auth, request),
      find: (request) => findSecretInvitation(auth, request),
      answer: (request) => answerInvitation(auth, request),
      onEvents: () => webhooks.wake(),
    }),
  ];
}

/** A run may wait for the account that a sign-in connects. */
function wakeAfterSignIn({ tools, executor }: Services["agents"]): Services["agents"]["tools"]["authorizations"] {
  const { authorizations } = tools;
  return {
    ...authorizations,
    async finish(call) {
      const finished = await authorizations.finish(call);
      executor.wake();
      return finished;
    },
  };
}
