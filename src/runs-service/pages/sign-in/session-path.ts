/** The path of a session that someone opens after signing in; undefined if it's anything else. */
export const sessionPath = (given: unknown): string | undefined =>
  /^session\/[\w-]+$/.exec(String(given ?? ''))?.[0];
