/** In place of `@supabase/storage-js`, which supabase-js always creates: the service has no file storage, and the console calls none. */
export class StorageClient {}

export class StorageApiError extends Error {}
