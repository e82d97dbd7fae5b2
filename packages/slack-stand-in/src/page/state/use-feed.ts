import { useEffect, useState } from 'preact/hooks';
import { type ConnectionState, connect } from './connection.ts';
import { applyFrame, type Entries } from './entries.ts';

const nothing: Entries = new Map();

/** The live state as one person. A change of person starts again from nothing. */
export function useFeed(token: string, person: string) {
  const [known, setKnown] = useState({ person, entries: nothing });
  const [connection, setConnection] = useState<ConnectionState>('connecting');
  useEffect(
    () =>
      connect({
        hello: { token, person },
        onFrame: (frame) =>
          setKnown((before) => {
            const entries = before.person === person ? before.entries : nothing;
            return { person, entries: applyFrame(entries, frame) };
          }),
        onState: setConnection,
      }),
    [token, person],
  );
  // What another person may see is never shown, not even until the first frame has come.
  return { entries: known.person === person ? known.entries : nothing, connection };
}
