/** PostgreSQL indexes about 2,700 bytes. */
const maxLength = 600;

/** A session link as it is stored for lookups; undefined if it can't be. */
export const linkColumn = (link: string | null | undefined): string | undefined =>
  link && link.length <= maxLength && !link.includes('\u0000') ? link : undefined;
