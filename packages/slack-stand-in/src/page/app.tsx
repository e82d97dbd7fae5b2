import { useState } from 'preact/hooks';
import { MainView } from './channel/main-view.tsx';
import { Inspector } from './inspector/inspector.tsx';
import { ConfirmDialog } from './modal/confirm-dialog.tsx';
import { ModalStack } from './modal/modal-stack.tsx';
import { Notice } from './notice.tsx';
import { Sidebar } from './sidebar/sidebar.tsx';
import { PageContext } from './state/page-context.ts';
import type { PageSettings } from './state/perform.ts';
import { useConfirm } from './state/use-confirm.ts';
import { useFeed } from './state/use-feed.ts';
import { usePageState } from './state/use-page-state.ts';
import { usePlace } from './state/use-place.ts';

export function App({ settings }: { settings: PageSettings }) {
  const { place, navigate } = usePlace();
  const personId = place.person ?? settings.firstPerson;
  const { entries, connection } = useFeed(settings.token, personId);
  const { question, confirm, answer } = useConfirm();
  const [notice, setNotice] = useState<string>();
  const [isInspecting, setInspecting] = useState(false);
  const page = usePageState({ settings, entries, personId, place, navigate, confirm, setNotice });

  if (!page) {
    return (
      <div class="loading" role="status">
        {connection === 'lost' ? "Can't reach the workspace. Reconnecting…" : 'Loading…'}
      </div>
    );
  }
  return (
    <PageContext.Provider value={page}>
      <div
        class={`shell${place.channel ? ' at-channel' : ''}${place.thread || page.flexpane ? ' at-thread' : ''}`}
      >
        <Sidebar isInspecting={isInspecting} toggleInspector={() => setInspecting(!isInspecting)} />
        <MainView />
        {isInspecting && <Inspector entries={entries} close={() => setInspecting(false)} />}
      </div>
      {connection === 'lost' && (
        <div class="connection-lost" role="status">
          Connection lost. Reconnecting…
        </div>
      )}
      <Notice text={notice} dismiss={() => setNotice(undefined)} />
      <ModalStack entries={entries} />
      {question && <ConfirmDialog question={question} answer={answer} />}
    </PageContext.Provider>
  );
}
