import { type Entries, entryOf } from '../state/entries.ts';
import { Modal } from './modal.tsx';

/** Every view of the stack stays mounted, so that a lower one keeps what was typed; the topmost is shown. */
export function ModalStack({ entries }: { entries: Entries }) {
  const views = entryOf(entries, 'modals', 'modals')?.views ?? [];
  return (
    <>
      {views.map((view, index) => (
        <Modal key={view.id} view={view} isTop={index === views.length - 1} isStacked={index > 0} />
      ))}
    </>
  );
}
