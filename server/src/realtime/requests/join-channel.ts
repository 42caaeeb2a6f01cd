import { requireScope } from "../../db/index.ts";
import { AppError, toAppError } from "../../errors/index.ts";
import { accessDenied } from "../private/private-topics.ts";
import { type AuthenticatedPrincipal, CHANNEL_EXTENSIONS } from "../realtime-options.ts";
import type { RealtimeState } from "../realtime-state.ts";
import { renderBroadcast } from "../wire/render-broadcast.ts";
import type { OutFrame } from "../wire/protocol.ts";
import { renderFrame, renderReply } from "../wire/render-frame.ts";
import type { Channel } from "../channels/channel.ts";

/** Shorter than the timeout of ten seconds of the clients, so that they get the reason. */
const WAIT_MS = 9_000;
const MAX_WAIT_MS = 20_000;

/** Replies when everything that the channel requests is live, or with an error. */
export async function joinChannel(state: RealtimeState, channel: Channel, ref: string | null): Promise<void> {
  const { socket, topic, joinRef } = channel;
  if (channel.config.isPrivate) state.rechecks.track(channel);
  try {
    await admitAs(state, channel, channel.config.token);
    channel.onEnd(() => {
      if (channel.admission !== null) state.sessionChannels.change("delete", channel.admission.principal, channel);
    });
    await subscribe(state, channel);
    // Before the replay is read, so that messages stored meanwhile are held and not missed.
    state.topics.add(channel);
    if (channel.config.isPrivate) await state.signals.follow(channel);
    const replay = await readReplay(state, channel);
    channel.signal.throwIfAborted();
    // Synchronous from here to the reply, so no frame can come in between.
    const answer = renderAnswer(state, channel, ref);
    channel.open([...answer, ...replay.frames], replay.ids);
  } catch (error) {
    const reason = channel.phase === "ended" ? channel.failure : describeFailure(state, channel, error);
    channel.end();
    // A client that left during the join expects no reply.
    if (reason !== null) socket.send(renderReply(socket.vsn, { joinRef, ref, topic }, "error", { reason }));
  }
}

/** Sets the principal of the channel. Throws an AppError for an invalid token or a principal without access. */
export async function admitAs(
  state: RealtimeState,
  channel: Channel,
  token: string | null,
): Promise<AuthenticatedPrincipal> {
  const { settings, clock, sessionChannels, endedSessions, privateTopics } = state;
  const askedAtMs = clock.now().getTime();
  const admission = await state.authenticate(token, channel.socket.apikey);
  const { principal } = admission;
  requireScope(principal, "read");
  const { accessVersion } = channel;
  const readable = channel.config.isPrivate
    ? await privateTopics.findReadable(principal, channel.name, channel.signal)
    : CHANNEL_EXTENSIONS;
  if (readable.size === 0) throw accessDenied("read from", channel.name);
  channel.signal.throwIfAborted();

  if (endedSessions.hasEndedSince(principal, askedAtMs)) throw new AppError("UNAUTHORIZED", "The session has ended");
  const before = channel.admission?.principal ?? null;
  const cap = settings.realtimeChannelsPerUser;
  const isAnother = before?.userId !== principal.userId;
  if (principal.userId !== null && isAnother && cap > 0 && sessionChannels.countOfUser(principal.userId) >= cap) {
    throw new AppError("RATE_LIMITED", "ChannelRateLimitReached: Too many channels of this user");
  }
  if (before !== null) sessionChannels.change("delete", before, channel);
  sessionChannels.change("add", principal, channel);
  channel.admission = admission;
  channel.token = token;
  channel.isWarned = false;
  channel.readable = readable;
  channel.accessCheckedAtMs = askedAtMs;
  channel.writable.clear();
  // Changes of the access of another user were not reported to the channel while the token was checked.
  const hasNewUser = before !== null && isAnother;
  if (channel.config.isPrivate && (hasNewUser || channel.accessVersion !== accessVersion)) state.rechecks.add(channel);
  return admission;
}

/** Subscribes the channel to changes as its principal, and replaces its previous subscription. */
export async function subscribe(state: RealtimeState, channel: Channel): Promise<void> {
  const { config, admission } = channel;
  if (config.bindings.length === 0 || admission === null) return;
  const timeout = AbortSignal.timeout(Math.min(config.waitMs ?? WAIT_MS, MAX_WAIT_MS));
  try {
    const frames = channel.takeChangeFrames(state.changeFrames);
    const subscription = await state.changes.subscribe(
      {
        principal: admission.principal,
        bindings: config.bindings,
        deliver: (ids, data) => channel.push(frames.render(ids, data)),
        isBehind: () => channel.socket.isBehind,
        lose: (reason) => channel.fail("postgres_changes", reason),
      },
      AbortSignal.any([channel.signal, timeout]),
    );
    channel.replaceSubscription(subscription);
  } catch (error) {
    if (!timeout.aborted || channel.signal.aborted) throw error;
    const why = state.changes.reason() ?? "the change feed is not live yet";
    throw new AppError("SERVICE_UNAVAILABLE", `PostgresChangesSubscribeTimeout: ${why}`);
  }
}

async function readReplay(state: RealtimeState, channel: Channel): Promise<{ frames: OutFrame[]; ids: string[] }> {
  const { config, admission, name, vsn } = channel;
  if (config.replay === null || admission === null || !channel.readable.has("broadcast"))
    return { frames: [], ids: [] };
  const { since, limit } = config.replay;
  const messages = await state.privateTopics.replay(admission.principal, name, since, limit);
  const frames = messages.flatMap(({ id, event, isBinary, payload }) => {
    const meta = JSON.stringify({ id, replayed: true });
    return renderBroadcast(vsn, { name, event, isBinary, payload, meta }) ?? [];
  });
  return { frames, ids: messages.map(({ id }) => id) };
}

function renderAnswer(state: RealtimeState, channel: Channel, ref: string | null): OutFrame[] {
  const { vsn, topic, joinRef, config } = channel;
  const bindings = config.askedBindings.map((asked, place) => ({ ...asked, id: place + 1 }));
  const frames = [renderReply(vsn, { joinRef, ref, topic }, "ok", { postgres_changes: bindings })];
  if (bindings.length > 0) frames.push(channel.renderSystem("postgres_changes", "ok", "Subscribed to PostgreSQL"));
  if (config.asksForFeed) {
    const why = state.changes.reason();
    frames.push(
      state.changes.state() === "live"
        ? channel.renderSystem("system", "ok", "Replication connection established")
        : channel.renderSystem("system", "error", why ?? "The change feed is not live"),
    );
  }
  if (config.isPresenceShown && channel.readable.has("presence")) {
    const presences = state.presence.renderState(channel.topicKey);
    frames.push(renderFrame(vsn, { joinRef, ref: null, topic, event: "presence_state" }, presences));
  }
  return frames;
}

function describeFailure({ observer }: RealtimeState, { topic }: Channel, error: unknown): string {
  const known = toAppError(error);
  if (known.code === "INTERNAL_ERROR") observer.note("realtime.join_failed", { topic, error });
  return known.message;
}
