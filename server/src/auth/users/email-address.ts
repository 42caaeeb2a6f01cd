import { domainToASCII } from "node:url";
import { authError } from "../auth-error.ts";

const MAX_TEXT_LENGTH = 1000;
const LOCAL_PART = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/i;
const DOMAIN = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;
const INTERNATIONAL_DOMAIN = /^[\p{L}\p{M}\p{N}.-]{1,253}$/u;

/**
 * Returns the normalized address, under which it is stored and looked up, or null when the text is no address. Local
 * parts are ASCII, so that no look-alike letter can stand for another; an internationalized domain becomes its ASCII
 * form.
 */
export function findEmail(text: string): string | null {
  const address = text.length > MAX_TEXT_LENGTH ? "" : text.trim();
  const at = address.lastIndexOf("@");
  const local = address.slice(0, Math.max(at, 0));
  const domain = toAscii(address.slice(at + 1));
  // Tested before lower-casing: the Kelvin sign, for example, lower-cases to an ordinary k.
  return LOCAL_PART.test(local) && DOMAIN.test(domain) ? `${local}@${domain}`.toLowerCase() : null;
}

export function parseEmail(text: string): string {
  const email = findEmail(text);
  if (email === null) throw authError("validation_failed", "Unable to validate email address: invalid format");
  return email;
}

function toAscii(domain: string): string {
  if (DOMAIN.test(domain)) return domain;
  return INTERNATIONAL_DOMAIN.test(domain) ? domainToASCII(domain) : "";
}
