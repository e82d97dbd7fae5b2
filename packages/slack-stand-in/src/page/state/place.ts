/** The current place, in the address so that reload, back and links work: `#/U1/C1/thread-ts`. */
export type Place = {
  person?: string | undefined;
  /** A channel's id, or `home` for the app's Home tab. */
  channel?: string | undefined;
  thread?: string | undefined;
};

export function readPlace(hash: string): Place {
  const [, person, channel, thread] = hash.replace(/^#/, '').split('/').map(decodeURIComponent);
  return {
    ...(person && { person }),
    ...(channel && { channel }),
    ...(thread && { thread }),
  };
}

export function writePlace({ person, channel, thread }: Place): string {
  const parts = [person, channel, thread].map((part) => encodeURIComponent(part ?? ''));
  return `#/${parts.join('/').replace(/\/+$/, '')}`;
}
