import https from "node:https";
import type { Swarmbase } from "./swarmbase.ts";

export interface StreamedRun {
  readonly runId: string;
  /** Resolves with the type of the run's last event. */
  readonly ended: Promise<string>;
}

export interface StreamListener {
  onDelta?(text: string): void;
  onEvent?(type: string): void;
}

const agent = new https.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

/** Starts one run over `agent-respond` and reads its events. Resolves when the response has started. */
export function streamRun(
  { target, headers }: Swarmbase,
  swarmId: string,
  listener: StreamListener,
): Promise<StreamedRun> {
  const begun = Promise.withResolvers<StreamedRun>();
  const ended = Promise.withResolvers<string>();
  // Reports a failure also to callers that only wait for the start.
  ended.promise.catch(() => {});
  const fail = (error: Error): void => {
    begun.reject(error);
    ended.reject(error);
  };
  const request = https.request(
    {
      host: target.host,
      port: target.port,
      ...(target.ca !== undefined && { ca: target.ca }),
      agent,
      method: "POST",
      path: "/functions/v1/agent-respond",
      headers: { ...headers, accept: "text/event-stream" },
    },
    (response) => {
      let held = "";
      let last = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => {
        held += piece;
        for (let end = held.indexOf("\n\n"); end !== -1; end = held.indexOf("\n\n")) {
          const frame = held.slice(0, end);
          held = held.slice(end + 2);
          const type = /^event: ?(.*)$/m.exec(frame)?.[1];
          if (type === undefined) continue;
          if (type.startsWith("run.")) last = type;
          if (type === "message.delta") listener.onDelta?.(frame);
          else listener.onEvent?.(type);
        }
      });
      response.on("error", fail);
      response.on("end", () => ended.resolve(last));
      if (response.statusCode !== 200) {
        response.on("end", () => fail(new Error(`agent-respond was answered with ${response.statusCode}: ${held}`)));
        return;
      }
      begun.resolve({ runId: String(response.headers["x-run-id"]), ended: ended.promise });
    },
  );
  request.on("error", fail);
  request.end(JSON.stringify({ swarm_id: swarmId, message: "Go on." }));
  return begun.promise;
}

export function closeStreams(): void {
  agent.destroy();
}
