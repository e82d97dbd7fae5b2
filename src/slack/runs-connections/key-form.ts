/** The forms that ask for a key: render their fields and read them back. A key is in no other place of a view. */
import type { ViewOutput } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { readViewMetadata } from '../posting/modals.ts';
import { context, modal, section, textInput } from '../text/blocks.ts';
import { escapeText } from '../text/escape-text.ts';
import { checkboxInput, readFormValue } from '../text/form-inputs.ts';
import { connectionsModal } from './connections-view.ts';

export const keyFormIds = { key: 'connections:key', add: 'connections:add' } as const;

/** Whose key is asked for: the person's own, or the workspace's. */
const metadataSchema = z.object({ serviceId: z.string(), isOwn: z.boolean(), name: z.string() });
type KeyPlace = z.infer<typeof metadataSchema>;

const keyInput = () =>
  textInput({
    blockId: 'key',
    label: 'API key',
    maxLength: 1_000,
    hint: 'It is checked now, stored encrypted, and never shown again.',
  });

/** @param problem what was wrong with the key that was submitted before */
export function renderKeyForm({ serviceId, isOwn, name }: KeyPlace, problem?: string): ModalView {
  const shown = escapeText(name, 60);
  const what = isOwn
    ? `Your runs on *${shown}* will use this key and belong to you. Other people's runs won't use it.`
    : `Runs on *${shown}* will use the new key, except those of people who connected their own.`;
  return modal({
    callbackId: keyFormIds.key,
    metadata: { serviceId, isOwn, name },
    title: isOwn ? 'Connect your key' : 'Replace key',
    submit: isOwn ? 'Connect' : 'Replace',
    blocks: [...warning(problem), section(what), keyInput()],
  });
}

const warning = (problem?: string) => (problem ? [section(`⚠️ ${problem}`)] : []);

export const readKeyPlace = (view: { private_metadata: string }): KeyPlace =>
  readViewMetadata(metadataSchema, view);

const text = (view: Pick<ViewOutput, 'state'>, field: string) =>
  readFormValue(view.state, field) ?? '';

export const readKey = (view: Pick<ViewOutput, 'state'>): string => text(view, 'key');

type Typed = Omit<ReturnType<typeof readAddForm>, 'key'>;
const nothing: Typed = { name: '', url: '', isForAll: true };

/** @param problem what was wrong with what was submitted before */
export const renderAddForm = (typed: Typed = nothing, problem?: string): ModalView =>
  modal({
    callbackId: keyFormIds.add,
    title: 'Add connection',
    submit: 'Add',
    blocks: [
      ...warning(problem),
      textInput({
        blockId: 'name',
        label: 'Name',
        value: typed.name,
        maxLength: 40,
        placeholder: 'staging',
        hint: "For settings, presets and commands. It can't be changed later.",
      }),
      textInput({
        blockId: 'url',
        label: 'URL of the runs service',
        value: typed.url,
        maxLength: 500,
        placeholder: 'https://runs.example.com/api/v1',
      }),
      keyInput(),
      checkboxInput({
        blockId: 'use',
        label: 'Use',
        boxes: [
          { value: 'all', text: 'For all runs in this workspace', isChecked: typed.isForAll },
        ],
      }),
    ],
  });

export const readAddForm = (view: Pick<ViewOutput, 'state'>) => ({
  name: text(view, 'name').toLowerCase(),
  url: text(view, 'url').replace(/\/+$/, ''),
  key: text(view, 'key'),
  isForAll: text(view, 'use').includes('all'),
});

/** Replaces the form while the service is asked. */
export const renderChecking = (): ModalView =>
  connectionsModal([
    section('⏳ Checking the key…'),
    context('If this takes more than a minute, close this and open the connections again.'),
  ]);

/** Replaces the form. `sentence` is mrkdwn. */
export const renderDone = (sentence: string): ModalView =>
  connectionsModal([section(`✅ ${sentence}`)]);
