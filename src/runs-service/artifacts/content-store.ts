/** Where the contents of artifacts are kept, encrypted and named by the SHA-256 of what is stored. */
export type ContentStore = {
  /** Takes over the local file. */
  put(name: string, file: string, signal: AbortSignal): Promise<void>;
  /** Undefined if it isn't here. */
  read(name: string): Promise<AsyncIterable<Buffer> | undefined>;
  delete(name: string): Promise<void>;
  /** Deletes what is older. Returns how many contents. Those on this machine are pruned like other files. */
  prune?(maxAgeMs: number, signal: AbortSignal): Promise<number>;
};
