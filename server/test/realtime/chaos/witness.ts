import { createClient, type WebSocketLikeConstructor } from "@supabase/supabase-js";
import { WebSocket } from "ws";

/** A period in which the client was subscribed. */
interface Watch {
  /** Whatever is begun to be written from here on has to come. */
  readonly fromSeq: number;
  readonly seen: number[];
}

export interface WitnessOptions {
  readonly url: string;
  readonly key: string;
  readonly token: string;
  readonly userId: string;
  readonly vsn: "1.0.0" | "2.0.0";
  /** The number that the next write will have. */
  nextSeq(): number;
}

/** An unmodified client that follows its user's agents, whose names are numbers, through whatever happens. */
export class Witness {
  readonly userId: string;
  readonly watches: Watch[] = [];
  /** Rows of somebody else, of which there must be none. */
  readonly strange: string[] = [];
  /** Of the connections that have ended. */
  readonly closeCodes: number[] = [];
  isLive = false;
  #sockets = new Set<WebSocket>();
  readonly #close: () => Promise<void>;

  constructor({ url, key, token, userId, vsn, nextSeq }: WitnessOptions) {
    this.userId = userId;
    const sockets = this.#sockets;
    const { closeCodes } = this;
    class CuttableSocket extends WebSocket {
      constructor(address: string | URL) {
        super(address);
        sockets.add(this);
        let isOpen = false;
        this.on("open", () => {
          isOpen = true;
        });
        this.on("close", (code) => {
          sockets.delete(this);
          if (isOpen) closeCodes.push(code);
        });
      }
    }
    const client = createClient(url, key, {
      accessToken: async () => token,
      realtime: {
        vsn,
        reconnectAfterMs: () => 50,
        transport: CuttableSocket as unknown as WebSocketLikeConstructor,
      },
    });
    this.#close = async () => {
      await client.removeAllChannels();
      await client.realtime.disconnect();
    };
    client
      .channel("agents")
      .on<Record<string, unknown>>(
        "postgres_changes",
        { event: "INSERT", schema: "public", table: "agents" },
        ({ new: row }) => {
          if (row["user_id"] !== userId) this.strange.push(JSON.stringify(row));
          this.watches.at(-1)?.seen.push(Number(row["name"]));
        },
      )
      .subscribe((status) => {
        this.isLive = status === "SUBSCRIBED";
        if (this.isLive) this.watches.push({ fromSeq: nextSeq(), seen: [] });
      });
  }

  /** Without a word, as a network does it. */
  cut(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  hasSeen(seq: number): boolean {
    return this.watches.at(-1)?.seen.includes(seq) ?? false;
  }

  /** Committed writes that should have come and did not, or came out of order or twice. */
  findFaults(committed: readonly number[]): string[] {
    return this.watches.flatMap(({ fromSeq, seen }) => {
      const last = seen.at(-1) ?? 0;
      const isOrdered = seen.every((seq, at) => at === 0 || seq > (seen[at - 1] ?? 0));
      const known = new Set(seen);
      const missing = committed.filter((seq) => seq >= fromSeq && seq <= last && !known.has(seq));
      return [
        ...(isOrdered ? [] : [`out of order: ${seen.join()}`]),
        ...(missing.length === 0 ? [] : [`missing from ${fromSeq} to ${last}: ${missing.join()}`]),
      ];
    });
  }

  close(): Promise<void> {
    return this.#close();
  }
}
