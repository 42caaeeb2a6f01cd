export interface TlsMaterial {
  cert: string;
  key: string;
  /** Absolute path of what a client must trust; null with the operator's own certificate. */
  caFile: string | null;
}
