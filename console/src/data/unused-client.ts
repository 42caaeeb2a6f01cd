/** In place of parts of supabase-js that it always imports and the console never calls: there is no file storage, and nobody signs in with a wallet. */
export class StorageClient {}

export class StorageApiError extends Error {}

export const getAddress = unavailable;
export const fromHex = unavailable;
export const toHex = unavailable;
export const createSiweMessage = unavailable;

function unavailable(): never {
  throw new Error("not available in the console");
}
