import { existsSync, readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "../support/until.ts";

/** What a program must be started with so that a test can change its environment while it runs. */
interface Faked {
  readonly nodeOptions: readonly string[];
}

export interface FakedClock extends Faked {
  /** Sets the clock of the program so far ahead of the real one, or behind it. */
  jump(offsetMs: number): Promise<void>;
}

export interface FakedDns extends Faked {
  /** While it is away, the program resolves no name, not even localhost. */
  setAway(isAway: boolean): Promise<void>;
}

const CLOCK_POLL_MS = 10;

/** The clock of the day of one program. Timers and the clock of the database go on. */
export function fakeClock(folder: string): FakedClock {
  const [asked, reached] = [join(folder, "clock-offset"), join(folder, "clock-offset-reached")];
  const code = `
    import { readFileSync, writeFileSync } from "node:fs";
    const Real = Date;
    let offset = 0;
    setInterval(() => {
      let next = offset;
      try { next = Number(readFileSync(${JSON.stringify(asked)}, "utf8")); } catch {}
      if (next === offset) return;
      offset = next;
      writeFileSync(${JSON.stringify(reached)}, String(offset));
    }, ${CLOCK_POLL_MS}).unref();
    const now = () => Real.now() + offset;
    globalThis.Date = new Proxy(Real, {
      apply: () => new Real(now()).toString(),
      construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
      get: (target, name) => (name === "now" ? now : target[name]),
    });`;
  return {
    nodeOptions: preload(code),
    jump: async (offsetMs) => {
      await writeFile(asked, String(offsetMs));
      await until(
        () => existsSync(reached) && Number(readFileSync(reached, "utf8")) === offsetMs,
        "the program has the other time",
      );
    },
  };
}

export function fakeDns(folder: string): FakedDns {
  const away = join(folder, "dns-away");
  const code = `
    import { existsSync } from "node:fs";
    import { createRequire, syncBuiltinESMExports } from "node:module";
    const require = createRequire(${JSON.stringify(import.meta.url)});
    const [dns, promises] = [require("node:dns"), require("node:dns/promises")];
    const fault = (name) =>
      existsSync(${JSON.stringify(away)})
        ? Object.assign(new Error("getaddrinfo EAI_AGAIN " + name), { code: "EAI_AGAIN", syscall: "getaddrinfo", hostname: name })
        : null;
    const { lookup } = dns;
    dns.lookup = (name, ...rest) => {
      const error = fault(name);
      if (error === null) return lookup(name, ...rest);
      setImmediate(() => rest.at(-1)(error));
    };
    for (const [owner, method] of [[promises, "lookup"], [promises.Resolver.prototype, "resolve4"], [promises.Resolver.prototype, "resolve6"]]) {
      const original = owner[method];
      owner[method] = async function (name, ...rest) {
        const error = fault(name);
        if (error !== null) throw error;
        return original.call(this, name, ...rest);
      };
    }
    syncBuiltinESMExports();`;
  return {
    nodeOptions: preload(code),
    setAway: async (isAway) => (isAway ? writeFile(away, "") : rm(away)),
  };
}

function preload(code: string): readonly string[] {
  return ["--import", `data:text/javascript,${encodeURIComponent(code)}`];
}
