import { useCallback, useLayoutEffect, useState } from 'preact/hooks';
import { type Place, readPlace, writePlace } from './place.ts';

/** The place in the address, and a function to change it. A place without a person keeps the person. */
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
