/** The form for what has no room in the Home tab's row of filters: renders its fields and reads them back. */
import type { ModalView } from '@slack/types';
import { plain, textInput } from '../blocks.ts';
import type { HomeFilter, Narrowing } from './home-filter.ts';

export const filterView = 'home:filter';

const maxLength = 200;
const fields = ['search', 'environment', 'name'] as const;

export function renderFilterModal(filter: HomeFilter): ModalView {
  const field = (blockId: (typeof fields)[number], label: string, hint: string) =>
    textInput({ blockId, label, hint, value: filter[blockId], optional: true, maxLength });
  return {
    type: 'modal',
    callback_id: filterView,
    title: plain('Find runs', 24),
    submit: plain('Show', 24),
    close: plain('Close', 24),
    blocks: [
      field('search', 'Words in title or prompt', 'Capitals do not matter.'),
      field('environment', 'Environment', 'Its whole id.'),
      field('name', 'Configuration name', 'The whole name.'),
    ],
  };
}

type Answers = { state: { values: Record<string, Record<string, { value?: string | null }>> } };

/** Every field, empty ones as undefined, so that clearing a field clears the filter. */
export function readFilterModal({ state }: Answers): Narrowing {
  const text = (blockId: string) =>
    state.values[blockId]?.['value']?.value?.trim().slice(0, maxLength) || undefined;
  return { search: text('search'), environment: text('environment'), name: text('name') };
}
