import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import type { TelemetryContext } from "swarmbase/extension";
import type { Signal } from "./standard-variables.ts";

const REPEAT_MS = 600_000;

interface Exporter<Items> {
  export(items: Items, done: (result: ExportResult) => void): void;
}

interface Failing {
  failedExports: number;
  notedAtMs: number;
}

/** Logs the first failure, a repetition every ten minutes, and the first success after it. What could not be sent is lost. */
export class ExportReports {
  readonly #context: Pick<TelemetryContext, "note" | "fail">;
  readonly #nowMs: () => number;
  readonly #failing = new Map<Signal, Failing>();

  constructor(context: Pick<TelemetryContext, "note" | "fail">, nowMs: () => number = () => performance.now()) {
    this.#context = context;
    this.#nowMs = nowMs;
  }

  /** Reports the results of this exporter. */
  watch<Items, Watched extends Exporter<Items>>(signal: Signal, exporter: Watched & Exporter<Items>): Watched {
    const send = exporter.export.bind(exporter);
    exporter.export = (items, done) => {
      send(items, (result) => {
        this.record(signal, result);
        done(result);
      });
    };
    return exporter;
  }

  record(signal: Signal, { code, error }: ExportResult): void {
    const failing = this.#failing.get(signal);
    if (code === ExportResultCode.SUCCESS) {
      if (failing === undefined) return;
      this.#failing.delete(signal);
      this.#context.note(`${signal} are exported again`, { failedExports: failing.failedExports });
      return;
    }
    const nowMs = this.#nowMs();
    const failedExports = (failing?.failedExports ?? 0) + 1;
    const isDue = failing === undefined || nowMs - failing.notedAtMs >= REPEAT_MS;
    this.#failing.set(signal, { failedExports, notedAtMs: isDue ? nowMs : failing.notedAtMs });
    if (isDue) this.#context.fail(`${signal} cannot be exported (${failedExports} failed), retrying`, plain(error));
  }
}

/** The error of the exporter contains the response of the collector, which is not for the log. */
function plain(error: Error | undefined): Error {
  const reason = error === undefined || error.message === "" ? "the collector rejected the request" : error.message;
  const status = error !== undefined && "code" in error ? ` (${String(error.code)})` : "";
  return new Error(`${reason}${status}`);
}
