import { renderRunMessage } from '../../../src/slack/run-message/render-run-message.ts';
import {
  renderAddForm,
  renderChecking,
  renderConnections,
  renderDone,
  renderKeyForm,
} from '../../../src/slack/runs-connections/connections-view.ts';
import type { RunRequest } from '../../../src/store/requests/request-row.ts';
import { aRequest } from '../../support/builders.ts';
import type { PreviewCase } from '../preview-cases.ts';

const rejected = { code: 'unauthorized', message: '', since: 1 };
const operators = {
  serviceId: 'default',
  name: 'default',
  host: undefined,
  problem: null,
  ownKey: undefined,
};
const staging = {
  serviceId: 's1',
  name: 'staging',
  host: 'runs.staging.example.com',
  problem: rejected,
  ownKey: { problem: null },
};
const all = {
  connections: [operators, staging, { ...staging, name: 'west', ownKey: { problem: rejected } }],
  usual: 'staging',
};
const place = { serviceId: 's1', name: 'staging' };

const modals: [name: string, payload: PreviewCase['payload']][] = [
  [
    'for members',
    renderConnections({ connections: [operators], usual: 'default', isAdmin: false }),
  ],
  ['for admins', renderConnections({ ...all, isAdmin: true })],
  ['connect a key', renderKeyForm({ ...place, isOwn: true })],
  ['replace the key', renderKeyForm({ ...place, isOwn: false })],
  ['add one', renderAddForm()],
  ['while the service is asked', renderChecking()],
  [
    'what was typed, and why not',
    renderAddForm(
      { name: 'staging', url: 'https://runs.staging.example.com/api/v1', isForAll: false },
      'The runs service rejected this key.',
    ),
  ],
  [
    'done',
    renderDone(
      "Your new runs on *staging* use your own key. Runs that started with the workspace's key keep it.",
    ),
  ],
];

const since = 1_793_536_496_000;
const problem = (code: string) => ({ code, message: '', since });
const unknown = { step: 'ended', missingSince: since } as const;
const messages: [name: string, changes: Partial<RunRequest>][] = [
  ['own key rejected', { connectionId: 's1/T1/U1', problem: problem('unauthorized') }],
  [
    'workspace key rejected',
    { connectionId: 's1', step: 'not_started', run: null, problem: problem('unauthorized') },
  ],
  ['removed', { ...unknown, connectionId: 's1', problem: problem('connection_removed') }],
  ['disconnected', { ...unknown, connectionId: 's1/T1/U1', problem: problem('key_disconnected') }],
];

/** The modals about connections and keys, and messages of runs that lack one. */
export const connectionCases: readonly PreviewCase[] = [
  ...modals.map(
    ([name, payload]): PreviewCase => ({
      group: 'Connections',
      name,
      kind: 'modal',
      payload,
    }),
  ),
  ...messages.map(([name, changes]): PreviewCase => {
    const { text, blocks } = renderRunMessage(aRequest(changes));
    return { group: 'Connections', name, kind: 'message', text, payload: { blocks } };
  }),
];
