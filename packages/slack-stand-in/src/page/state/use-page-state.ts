import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { PageAction } from '../../page-server/page-protocol.ts';
import { type Entries, entriesOf, entryOf } from './entries.ts';
import type { Page } from './page-context.ts';
import { type PageSettings, perform as send } from './perform.ts';

type PageStateOptions = Pick<Page, 'place' | 'navigate' | 'confirm'> & {
  settings: PageSettings;
  entries: Entries;
  personId: string;
  setNotice: (text: string | undefined) => void;
};

/** Returns the state that the page's components share. Undefined until the first frame arrives. */
export function usePageState(options: PageStateOptions): Page | undefined {
  const { settings, entries, personId, place, navigate, confirm, setNotice } = options;
  const nowMs = useNow();
  const perform = useCallback(
    async (action: PageAction) => {
      const answer = await send(settings, personId, action);
      if (!answer.ok) setNotice(answer.error);
      return answer;
    },
    [settings, personId],
  );
  return useMemo(() => {
    const team = entryOf(entries, 'team', 'team');
    const me = entryOf(entries, 'person', `person/${personId}`);
    if (!team || !me) return undefined;
    const messages = entriesOf(entries, 'message').sort((one, two) => compareTs(one.ts, two.ts));
    return {
      team,
      me,
      people: entriesOf(entries, 'person'),
      channels: entriesOf(entries, 'channel'),
      messages: messages.filter(({ isPassing }) => !isPassing),
      passing: messages.filter(({ isPassing }) => isPassing),
      home: entryOf(entries, 'home', 'home'),
      flexpane: entryOf(entries, 'flexpane', 'flexpane'),
      nowMs,
      place,
      findPerson: (id) => entryOf(entries, 'person', `person/${id}`),
      findChannel: (id) => entryOf(entries, 'channel', `channel/${id}`),
      findSession: (channel, ts) => entryOf(entries, 'session', `session/${channel}/${ts}`),
      navigate,
      perform,
      confirm,
    };
  }, [entries, personId, place, nowMs, navigate, perform, confirm]);
}

/** Compares message times as text. Their number of digits is fixed, so text sorts like numbers. */
function compareTs(one: string, two: string): number {
  return one < two ? -1 : one > two ? 1 : 0;
}

const everyMs = 30_000;

/** Returns the current time in epoch ms. Updates it every 30 s, which is enough for "5 minutes ago". */
function useNow(): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = window.setTimeout(() => setNowMs(Date.now()), everyMs);
    return () => window.clearTimeout(timer);
  }, [nowMs]);
  return nowMs;
}
