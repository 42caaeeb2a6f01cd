import type { RawData, WebSocket } from "ws";
import { toAppError } from "../../errors/index.ts";
import { Channel, type ChannelSocket } from "../channels/channel.ts";
import { parseJoinConfig } from "../channels/join-config.ts";
import type { RealtimeState } from "../realtime-state.ts";
import { answerRequest } from "../requests/channel-request.ts";
import { joinChannel } from "../requests/join-channel.ts";
import {
  type ClientFrame,
  FrameError,
  type MessageFrame,
  parseBinaryFrame,
  parseTextFrame,
} from "../wire/parse-frame.ts";
import { type OutFrame, SOCKET_TOPIC, TOPIC_PREFIX, type Vsn } from "../wire/protocol.ts";
import { renderReply } from "../wire/render-frame.ts";

/** A limit per whole second of a monotonic clock. */
class Rate {
  readonly #perSecond: number;
  #second = -1;
  #count = 0;

  /** 0 is no limit. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  allows(nowMs: number): boolean {
    if (this.#perSecond === 0) return true;
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count <= this.#perSecond;
  }
}

const CLOSE_GOING_AWAY = 1001;
const CLOSE_BAD_FRAME = 1003;
const CLOSE_TRY_AGAIN = 1013;
const CLOSE_TIMEOUT_MS = 5_000;
/** The node keeps the names of joined topics. */
const MAX_TOPIC_LENGTH = 1_024;
const TEXT = { binary: false, compress: false };
const BINARY = { binary: true, compress: false };

type SocketOptions = Pick<ChannelSocket, "vsn" | "apikey" | "address">;

/** The connection of one client: handles its frames and limits its send buffer. */
export class ClientSocket implements ChannelSocket {
  readonly vsn: Vsn;
  readonly apikey: string;
  readonly address: string | null;
  heardAtMs: number;
  readonly #state: RealtimeState;
  readonly #ws: WebSocket;
  readonly #channels = new Map<string, Channel>();
  readonly #joins: Rate;
  readonly #events: Rate;
  #isClosing = false;

  constructor(state: RealtimeState, ws: WebSocket, { vsn, apikey, address }: SocketOptions) {
    this.#state = state;
    this.#ws = ws;
    this.vsn = vsn;
    this.apikey = apikey;
    this.address = address;
    this.heardAtMs = state.clock.now().getTime();
    this.#joins = new Rate(state.settings.realtimeJoinsPerSecond);
    this.#events = new Rate(state.settings.realtimeEventsPerSecond);
    ws.on("message", (bytes, isBinary) => this.#receive(bytes, isBinary));
    ws.on("ping", () => this.#heard());
    // The close event follows each error.
    ws.on("error", () => {});
    ws.on("close", () => {
      for (const channel of this.#channels.values()) channel.end();
    });
  }

  get channels(): Iterable<Channel> {
    return this.#channels.values();
  }

  get isBehind(): boolean {
    return this.#ws.bufferedAmount > this.#state.settings.realtimeSendBufferLimitBytes / 8;
  }

  send({ bytes, isBinary }: OutFrame): void {
    const ws = this.#ws;
    if (ws.readyState !== ws.OPEN) return;
    ws.send(bytes, isBinary ? BINARY : TEXT);
    if (!this.#isClosing && ws.bufferedAmount > this.#state.settings.realtimeSendBufferLimitBytes) this.#closeSlow();
  }

  forget(channel: Channel): void {
    this.#state.presence.untrack(channel.id);
    if (this.#channels.get(channel.topic) === channel) this.#channels.delete(channel.topic);
  }

  /** Resolves when the socket is closed; terminates a client that does not answer in time. */
  close(code = CLOSE_GOING_AWAY, reason = ""): Promise<void> {
    const ws = this.#ws;
    this.#isClosing = true;
    if (ws.readyState === ws.CLOSED) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => ws.terminate(), CLOSE_TIMEOUT_MS);
      ws.once("close", () => {
        clearTimeout(timer);
        resolve();
      });
      ws.close(code, reason);
    });
  }

  /** For an unreachable peer. */
  terminate(): void {
    this.#ws.terminate();
  }

  /** Fails all channels, so that the client rejoins when it has caught up or reconnected. */
  #closeSlow(): void {
    this.#isClosing = true;
    this.#state.observer.note("realtime.slow", { bufferedBytes: this.#ws.bufferedAmount });
    for (const channel of this.#channels.values()) channel.fail("system", "The client reads too slowly");
    void this.close(CLOSE_TRY_AGAIN, "too slow");
  }

  #heard(): void {
    this.heardAtMs = this.#state.clock.now().getTime();
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#heard();
    if (this.#isClosing) return;
    try {
      const bytes = data as Buffer;
      this.#answer(isBinary ? parseBinaryFrame(this.vsn, bytes) : parseTextFrame(this.vsn, bytes.toString()));
    } catch (error) {
      if (!(error instanceof FrameError)) this.#state.observer.note("realtime.frame_failed", { error });
      void this.close(CLOSE_BAD_FRAME, "malformed frame");
    }
  }

  #answer(frame: ClientFrame): void {
    if (frame.topic === SOCKET_TOPIC) return this.#reply(frame, "ok");
    if (frame.kind === "message" && frame.event === "phx_join") return this.#join(frame);
    const channel = this.#channels.get(frame.topic);
    // A frame of an earlier join of the topic is not for the current channel.
    const isCurrent = channel !== undefined && (frame.joinRef === null || frame.joinRef === channel.joinRef);
    if (frame.kind === "message" && frame.event === "phx_leave") {
      if (isCurrent) channel.end();
      return this.#reply(frame, "ok");
    }
    if (!isCurrent || channel.phase !== "joined") return this.#reply(frame, "error", { reason: "unmatched topic" });
    if (!this.#events.allows(this.heardAtMs)) {
      return this.#reply(frame, "error", { reason: "Too many messages per second" });
    }
    void answerRequest(this.#state, channel, frame).catch((error: unknown) => {
      this.#state.observer.note("realtime.frame_failed", { topic: frame.topic, error });
    });
  }

  #join(frame: MessageFrame): void {
    const { topic } = frame;
    const fault = this.#findJoinFault(topic);
    if (fault !== null) return this.#reply(frame, "error", { reason: fault });
    // A second join replaces the channel.
    this.#channels.get(topic)?.end();
    try {
      const config = parseJoinConfig(frame.payload);
      const channel = new Channel({
        id: this.#state.newId(),
        socket: this,
        topic,
        joinRef: frame.joinRef ?? frame.ref,
        config,
        presenceKey: config.presenceKey ?? this.#state.newId(),
      });
      this.#channels.set(topic, channel);
      void joinChannel(this.#state, channel, frame.ref);
    } catch (error) {
      this.#reply(frame, "error", { reason: toAppError(error).message });
    }
  }

  #findJoinFault(topic: string): string | null {
    if (!topic.startsWith(TOPIC_PREFIX) || topic.length === TOPIC_PREFIX.length) {
      return `TopicNameRequired: a topic is ${TOPIC_PREFIX} and a name`;
    }
    if (topic.length > MAX_TOPIC_LENGTH) return `TopicNameTooLong: a topic has at most ${MAX_TOPIC_LENGTH} characters`;
    if (!this.#joins.allows(this.heardAtMs)) return "ClientJoinRateLimitReached: Too many joins per second";
    const isNew = !this.#channels.has(topic);
    if (isNew && this.#channels.size >= this.#state.settings.realtimeChannelsPerSocket) {
      return "ChannelRateLimitReached: Too many channels";
    }
    return null;
  }

  #reply({ joinRef, ref, topic }: ClientFrame, status: "ok" | "error", response: object = {}): void {
    this.send(renderReply(this.vsn, { joinRef, ref, topic }, status, response));
  }
}
