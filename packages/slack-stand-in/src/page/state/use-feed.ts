import { useEffect, useState } from 'preact/hooks';
import { type ConnectionState, connect } from './connection.ts';
import { applyFrame, type Entries } from './entries.ts';

const nothing: Entries = new Map();

/** The live state of one person's page. */
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
  // Never show another person's data, not even until the first frame.
  return { entries: known.person === person ? known.entries : nothing, connection };
}
