import { useEffect, useState } from 'preact/hooks';
import { type ConnectionState, connect } from './connection.ts';
import { applyFrame, type Entries } from './entries.ts';

/** The live state as one person. A change of person starts again from nothing. */
export function useFeed(token: string, person: string) {
  const [entries, setEntries] = useState<Entries>(new Map());
  const [connection, setConnection] = useState<ConnectionState>('connecting');
  useEffect(() => {
    setEntries(new Map());
    return connect({
      hello: { token, person },
      onFrame: (frame) => setEntries((known) => applyFrame(known, frame)),
      onState: setConnection,
    });
  }, [token, person]);
  return { entries, connection };
}
