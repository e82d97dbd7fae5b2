/** Renders the modal with more filters and reads it back. */
import type { ModalView } from '@slack/types';
import { modal, textInput } from '../text/blocks.ts';
import { type FormState, readFormValue, searchInput } from '../text/form-inputs.ts';
import type { HomeFilter, Narrowing } from './home-filter.ts';

export const filterView = 'home:filter';
export const environmentPicker = 'home:filter:environment';

const maxLength = 200;

export function renderFilterModal(filter: HomeFilter): ModalView {
  const { environment } = filter;
  const field = (blockId: 'search' | 'name', label: string, hint: string) =>
    textInput({ blockId, label, hint, value: filter[blockId], optional: true, maxLength });
  return modal({
    callbackId: filterView,
    title: 'Find runs',
    submit: 'Show',
    blocks: [
      field('search', 'Words in title or prompt', 'Not case-sensitive.'),
      searchInput({
        blockId: 'environment',
        actionId: environmentPicker,
        label: 'Environment',
        placeholder: 'Search or type an ID',
        value: environment ? { id: environment } : undefined,
      }),
      field('name', 'Group', 'The full name of the group.'),
    ],
  });
}

/** Reads the submitted filters. An empty field is undefined, which clears its filter. */
export function readFilterModal({ state }: { state: FormState }): Narrowing {
  const text = (blockId: string) => readFormValue(state, blockId)?.slice(0, maxLength) || undefined;
  return { search: text('search'), environment: text('environment'), name: text('name') };
}
