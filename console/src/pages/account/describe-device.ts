const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\//, "Firefox"],
  [/\bChrome\/|\bHeadlessChrome\/|\bCriOS\//, "Chrome"],
  [/\bSafari\//, "Safari"],
  [/^curl\//, "curl"],
  [/^node\b|undici/i, "A Node.js program"],
  [/^python/i, "A Python program"],
  [/^deno/i, "A Deno program"],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X|Macintosh/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
];

export interface DeviceDescription {
  readonly name: string;
  readonly kind: "phone" | "computer" | "program";
}

/** Describes a device by its User-Agent header. Only a hint, because clients can send any value. */
export function describeDevice(userAgent: string | null): DeviceDescription {
  const text = userAgent ?? "";
  const browser = BROWSERS.find(([pattern]) => pattern.test(text))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(text))?.[1];
  if (browser === undefined && system === undefined) {
    const first = /^[\w .-]{1,40}/.exec(text)?.[0].trim() ?? "";
    return { name: first === "" ? "An unknown program" : first, kind: "program" };
  }
  if (system === undefined) return { name: browser ?? "", kind: "program" };
  const kind = /iPhone|Android/.test(system) ? "phone" : "computer";
  return { name: browser === undefined ? system : `${browser} on ${system}`, kind };
}
