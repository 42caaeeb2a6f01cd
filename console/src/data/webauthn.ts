import { type ClientResponse, type DataOf, Failure, toFailure, unwrap } from "./failure.ts";

export function hasWebAuthn(): boolean {
  return typeof PublicKeyCredential === "function";
}

/** Codes of supabase-js for what the browser has refused; those of the service have lower case. */
const OF_BROWSER = /^ERROR_/;
const NOT_USED =
  "Nothing was confirmed: the request was cancelled, took too long, or there is nothing to confirm with.";
const WORDS: Readonly<Record<string, string>> = {
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: "This device is registered for your account already.",
};

/** Like `unwrap`, for calls in which the browser asks the user to confirm. */
export async function unwrapCeremony<Result extends ClientResponse>(
  call: PromiseLike<Result>,
): Promise<DataOf<Result>> {
  try {
    return await unwrap(call);
  } catch (error) {
    const failure = await toFailure(error);
    if (!OF_BROWSER.test(failure.code)) throw failure;
    throw new Failure(WORDS[failure.code] ?? NOT_USED, { code: failure.code, cause: failure });
  }
}
