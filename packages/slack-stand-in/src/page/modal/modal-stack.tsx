import { type Entries, entryOf } from '../state/entries.ts';
import { Modal } from './modal.tsx';

/** Shows the top view. Lower ones stay mounted and keep what was typed. */
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
