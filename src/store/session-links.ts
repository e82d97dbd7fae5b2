/** PostgreSQL takes about 2,700 bytes into an index; longer links lead to their session all the same. */
const longest = 600;

/** A session link as it is kept to be looked up; undefined for one that cannot be. */
export const linkColumn = (link: string | null | undefined): string | undefined =>
  link && link.length <= longest && !link.includes('\u0000') ? link : undefined;
