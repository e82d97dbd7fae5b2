/** Renders the list of connections and the forms for keys. */

import type { ViewOutput } from '@slack/bolt';
import type { Button, KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import type { RequestProblem } from '../../requests/run-progress.ts';
import { readViewMetadata } from '../posting/modals.ts';
import {
  actions,
  button,
  context,
  dangerConfirmation,
  modal,
  section,
  textInput,
} from '../text/blocks.ts';
import { code, escapeText } from '../text/escape-text.ts';
import { checkboxInput, readFormValue } from '../text/form-inputs.ts';

export const connectionActions = {
  own: 'connections:own',
  disconnect: 'connections:disconnect',
  replace: 'connections:replace',
  remove: 'connections:remove',
  add: 'connections:add-new',
} as const;

type ShownConnection = {
  serviceId: string;
  name: string;
  /** Host of the service. Undefined for the operator's service, whose host isn't shown. */
  host: string | undefined;
  problem: RequestProblem | null;
  /** Person's own key and its problem. Undefined if they have no key. */
  ownKey: { problem: RequestProblem | null } | undefined;
};

export type ConnectionsContent = {
  connections: readonly ShownConnection[];
  isAdmin: boolean;
  /** Name of the workspace's default connection. */
  usual: string;
};

export function renderConnections({ connections, isAdmin, usual }: ConnectionsContent): ModalView {
  return connectionsModal([
    context('A connection is a runs service with an API key. Each run uses one connection.'),
    ...connections.flatMap((each) => renderConnection(each, { isAdmin, usual })),
    ...(isAdmin ? [actions([button(connectionActions.add, 'Add connection')])] : []),
  ]);
}

const connectionsModal = (blocks: KnownBlock[]): ModalView =>
  modal({ title: 'Connections', blocks });

function renderConnection(
  connection: ShownConnection,
  { isAdmin, usual }: Pick<ConnectionsContent, 'isAdmin' | 'usual'>,
): KnownBlock[] {
  const { name, host, ownKey } = connection;
  const where = host === undefined ? "provided by the app's operator" : code(host, 200);
  const lines = [
    `*${escapeText(name, 60)}*  ·  ${where}${name === usual ? '  ·  workspace default' : ''}`,
    ...(isRejected(connection.problem) && host !== undefined
      ? ["⚠️ The runs service rejected the workspace's key."]
      : []),
    ownKey ? ownKeyLine(ownKey.problem) : "Your runs use the workspace's key.",
  ];
  return [section(lines.join('\n')), actions(buttonsOf(connection, isAdmin))];
}

const ownKeyLine = (problem: RequestProblem | null) =>
  isRejected(problem)
    ? '⚠️ The runs service rejected your key. Connect a new one.'
    : '🔑 Your runs use your own key.';

const isRejected = (problem: RequestProblem | null) => problem?.code === 'unauthorized';

function buttonsOf({ serviceId, name, host, ownKey, problem }: ShownConnection, isAdmin: boolean) {
  const value = serviceId;
  const help = (isUrgent: boolean) => (isUrgent ? { style: 'primary' as const } : {});
  const own: Button[] = [
    button(connectionActions.own, ownKey ? 'Replace your key' : 'Connect your key', {
      value,
      ...help(ownKey !== undefined && isRejected(ownKey.problem)),
    }),
    ...(ownKey ? [disconnectButton(value)] : []),
  ];
  if (!isAdmin || host === undefined) return own;
  return [
    ...own,
    button(connectionActions.replace, "Replace workspace's key", {
      value,
      ...help(isRejected(problem)),
    }),
    removeButton(value, name),
  ];
}

const disconnectButton = (value: string): Button =>
  button(connectionActions.disconnect, 'Disconnect your key', {
    value,
    confirm: dangerConfirmation(
      'Disconnect your key?',
      'The app stops updating your active runs that use it.',
      'Disconnect',
      'Keep key',
    ),
  });

const removeButton = (value: string, name: string): Button =>
  button(connectionActions.remove, 'Remove', {
    value,
    style: 'danger',
    confirm: dangerConfirmation(
      'Remove this connection?',
      `${name} and people's keys for it are deleted. The app stops updating its active runs.`,
      'Remove',
      'Keep connection',
    ),
  });

export const keyFormIds = { key: 'connections:key', add: 'connections:add' } as const;

/** Key that the form is for. `isOwn` means the person's own key, not the workspace's. */
const metadataSchema = z.object({ serviceId: z.string(), isOwn: z.boolean(), name: z.string() });
type KeyPlace = z.infer<typeof metadataSchema>;

const keyInput = () =>
  textInput({
    blockId: 'key',
    label: 'API key',
    maxLength: 1_000,
    hint: 'The key is checked when you submit, stored encrypted, and never shown again.',
  });

/**
 * Renders the form for a key.
 * @param problem the problem with the submitted key
 */
export function renderKeyForm({ serviceId, isOwn, name }: KeyPlace, problem?: string): ModalView {
  const shown = escapeText(name, 60);
  const explanation = isOwn
    ? `Your runs on *${shown}* will use this key and belong to you. Other people's runs won't use it.`
    : `Runs on *${shown}* will use the new key. People who connected their own key keep using theirs.`;
  return modal({
    callbackId: keyFormIds.key,
    metadata: { serviceId, isOwn, name },
    title: isOwn ? 'Connect your key' : 'Replace key',
    submit: isOwn ? 'Connect' : 'Replace',
    blocks: [...warning(problem), section(explanation), keyInput()],
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

/**
 * Renders the form for a new connection.
 * @param problem the problem with the submitted values
 */
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
        hint: "Used in settings, presets and commands. It can't be changed later.",
      }),
      textInput({
        blockId: 'url',
        label: 'Runs service URL',
        value: typed.url,
        maxLength: 500,
        placeholder: 'https://runs.example.com/api/v1',
      }),
      keyInput(),
      checkboxInput({
        blockId: 'use',
        label: 'Workspace default',
        boxes: [
          { value: 'all', text: 'Use this connection for new runs', isChecked: typed.isForAll },
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

/** Renders the modal that replaces the form until the service responds. */
export const renderChecking = (): ModalView =>
  connectionsModal([
    section('⏳ Checking the key…'),
    context('If this takes more than a minute, close this and open *Connections* again.'),
  ]);

/** Renders the result in place of the form. `sentence` is mrkdwn. */
export const renderDone = (sentence: string): ModalView =>
  connectionsModal([section(`✅ ${sentence}`)]);
