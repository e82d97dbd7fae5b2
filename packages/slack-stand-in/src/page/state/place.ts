import { useCallback, useLayoutEffect, useState } from 'preact/hooks';

/**
 * Person, channel and thread that the page shows. They're in the page's URL, so that reload, back and links work:
 * `#/U1/C1/thread-ts`.
 */
export type Place = {
  person?: string | undefined;
  /** A channel's ID, or `home` for the app's Home tab. */
  channel?: string | undefined;
  thread?: string | undefined;
};

function readPlace(hash: string): Place {
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

/**
 * Returns the place in the page's URL, and a function to change it. If the new place names no person, the person stays
 * the same.
 */
export function usePlace() {
  const [place, setPlace] = useState(() => readPlace(location.hash));
  useLayoutEffect(() => {
    const onHashChange = () => setPlace(readPlace(location.hash));
    window.addEventListener('hashchange', onHashChange);
    return () => window.removeEventListener('hashchange', onHashChange);
  }, []);
  const navigate = useCallback((next: Place) => {
    const { person } = readPlace(location.hash);
    location.hash = writePlace({ person, ...next });
  }, []);
  return { place, navigate };
}
