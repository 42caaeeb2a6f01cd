import fc from "fast-check";
import { anyText } from "./hostile-texts.ts";

const prefer = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "return=representation",
        "return=headers-only",
        "return=minimal",
        "return=x",
        "count=exact",
        "count=planned",
        "count=estimated",
        "resolution=merge-duplicates",
        "resolution=ignore-duplicates",
        "missing=default",
        "handling=strict",
        "handling=lenient",
        "max-affected=1",
        "max-affected=-1",
        "max-affected=99999999999999999999",
        "timezone=Europe/Vienna",
        "timezone='; select hidden.trap()",
        "timezone=nowhere",
        "tx=rollback",
        "params=single-object",
        ",",
        "=",
      ),
      anyText,
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((all) => all.join(", "));
const accept = fc.oneof(
  fc.constantFrom(
    "application/json",
    "application/vnd.pgrst.object+json",
    "application/vnd.pgrst.object+json;nulls=stripped",
    "application/vnd.pgrst.array+json;nulls=stripped",
    "application/vnd.pgrst.plan+json;options=analyze|verbose",
    "text/csv",
    "application/geo+json",
    "application/octet-stream",
    "text/plain",
    "text/xml",
    "application/openapi+json",
    "*/*;q=0.1, text/html",
    "a/b;q=x",
    ";;;",
  ),
  anyText,
);
/** Those that shape an answer, well-formed and not. */
export const hostileHeaders = fc
  .record(
    {
      prefer,
      accept,
      range: fc.oneof(fc.constantFrom("0-1", "1-0", "0-", "-1", "99-", "0-99999999999999999999", "items=0-1"), anyText),
      "range-unit": fc.constantFrom("items", "bytes", ""),
      "accept-profile": fc.oneof(fc.constantFrom("public", "hidden", "auth", "private", "pg_catalog"), anyText),
      "content-profile": fc.oneof(fc.constantFrom("public", "hidden", "auth"), anyText),
      "x-http-method-override": fc.oneof(fc.constantFrom("GET", "get", "DELETE", "PUT"), anyText),
      "x-odd": anyText,
    },
    { requiredKeys: [] },
  )
  .map((all) => Object.fromEntries(Object.entries(all).filter(([key]) => !RARE.has(key) || all.prefer === undefined)));
const RARE = new Set(["accept-profile", "content-profile", "x-http-method-override"]);
