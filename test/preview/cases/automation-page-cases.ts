import type { Trigger } from '../../../src/automations/automation.ts';
import type { Firing, FiringContent } from '../../../src/automations/firing.ts';
import { renderAutomation } from '../../../src/slack/automations/page/details-view.ts';
import { renderList } from '../../../src/slack/automations/page/list-view.ts';
import {
  renderPauseNotice,
  renderThreadStart,
} from '../../../src/slack/automations/posts/render-posts.ts';
import type {
  HistoryEntry,
  ListedAutomation,
} from '../../../src/store/automations/automation-list.ts';
import { aDefinition, anAutomation, everyMorning } from '../../support/automations.ts';
import { aRequest, aRun } from '../../support/builders.ts';
import type { PreviewCase } from '../preview-cases.ts';

const at = Date.parse('2026-11-01T12:00:00Z');
const ada = 'U04ADALOVEL';
const grace = 'U04GRACEHOP';
const alerts = 'C04ALERTS01';

const fired = (
  content: FiringContent,
  state: Firing['state'],
  reason: string | null = null,
): HistoryEntry => ({
  firing: {
    id: `a1 ${state}`,
    automationId: 'a1',
    teamId: 'T1',
    happenedAt: at,
    state,
    reason,
    requestId: state === 'started' ? 'T1-V1' : null,
    startKey: state,
    content: { fired: content },
    countedAt: null,
  },
  request:
    state === 'started'
      ? aRequest({ step: 'ended', run: aRun({ state: 'SUCCEEDED' }), creatorId: ada })
      : null,
});

const listed = (
  changes: Partial<ListedAutomation> = {},
  trigger: Trigger = everyMorning,
): ListedAutomation => ({
  ...anAutomation({ id: 'a1', ownerId: ada, channelId: 'C04GENERAL1' }),
  definition: aDefinition({ trigger }),
  nextAt: null,
  pause: null,
  failedStarts: 0,
  changedAt: at,
  changedBy: ada,
  revision: 0,
  last: null,
  spentMicros: 0,
  ...changes,
});

const onReaction: Trigger = { kind: 'reaction', emoji: 'eyes' };
const onAlert: Trigger = {
  kind: 'message',
  text: 'FIRING*production',
  people: [],
  bots: ['B1', 'B2'],
  onlyBots: true,
};
const onSentry: Trigger = {
  kind: 'webhook',
  sender: 'sentry',
  filter: [[{ field: 'action', is: 'equals', text: 'created' }]],
};
const byMessage = { kind: 'message', channelId: alerts, ts: '1.0', by: 'B1' } as const;
const delivery = { kind: 'webhook', deliveryId: 'd-17', event: 'issue' } as const;
const pause = {
  code: 'failures' as const,
  sentence: 'Five starts in a row failed. The last reason: the preset "review" was deleted.',
  by: 'system',
  at,
};

const daily = listed({
  name: 'Nightly check',
  nextAt: at + 86_400_000,
  last: fired({ kind: 'schedule' }, 'started'),
  spentMicros: 3_200_000,
});
const sentry = listed({ id: 'a4', name: 'New Sentry issue', channelId: alerts, pause }, onSentry);
const all = [
  daily,
  listed(
    {
      id: 'a2',
      name: 'Look at alerts',
      channelId: alerts,
      last: fired(byMessage, 'skipped', 'Limit of 20 starts an hour reached.'),
    },
    onAlert,
  ),
  listed({ id: 'a3', name: 'Look at this', channelId: alerts, ownerId: grace }, onReaction),
  sentry,
];
const position = { channelId: 'C04GENERAL1', which: 'all' as const };
const owner = { userId: ada, isAdmin: false };
const botNames = new Map([['B1', 'Alertmanager']]);
const history = [
  fired({ kind: 'schedule' }, 'waiting', 'the last run is still in progress.'),
  fired({ kind: 'schedule' }, 'started'),
  fired({ kind: 'schedule', count: 3, lastAt: at }, 'missed'),
  fired(byMessage, 'skipped', 'Limit of 20 starts an hour reached.'),
  fired({ kind: 'reaction', channelId: alerts, ts: '1.0', by: grace }, 'failed', 'no preset.'),
  fired(delivery, 'unmatched'),
  fired({ kind: 'test', by: ada }, 'started'),
];
const hooks = { publicUrl: 'https://agent.example.com', isServed: true };
const details = { position, automation: daily, history, viewer: owner, botNames, hooks };
const notice = {
  userId: ada,
  automationId: 'a4',
  name: 'New Sentry issue',
  ownerId: ada,
  channelId: alerts,
  sentence: pause.sentence,
};
const names = new Map([[ada, 'Ada Lovelace']]);

const modals: [name: string, payload: PreviewCase['payload']][] = [
  ['none yet', renderList({ position, automations: [], isAdmin: false, botNames })],
  [
    'of two channels, for an admin',
    renderList({ position, automations: all, isAdmin: true, botNames }),
  ],
  ['details, for the owner', renderAutomation(details)],
  [
    'details of a paused one, for an admin',
    renderAutomation({
      ...details,
      automation: sentry,
      history: [],
      viewer: { userId: grace, isAdmin: true },
    }),
  ],
  [
    'details of a webhook, for its owner',
    renderAutomation({ ...details, automation: sentry, history: [] }),
  ],
  ['details, for others', renderAutomation({ ...details, viewer: { ...owner, userId: 'U1' } })],
];
const posts = [
  ['paused, to the owner', renderPauseNotice(notice, names)],
  ['paused, in the channel', renderPauseNotice({ ...notice, userId: null }, names)],
  ['start of a thread', renderThreadStart({ automationId: 'a1', name: 'Nightly check' })],
] as const;

/** The page of automations, and their own messages. */
export const automationPageCases: readonly PreviewCase[] = [
  ...modals.map(
    ([name, payload]): PreviewCase => ({ group: 'Automations', name, kind: 'modal', payload }),
  ),
  ...posts.map(
    ([name, { text, blocks }]): PreviewCase => ({
      group: 'Automations',
      name,
      kind: 'message',
      text,
      payload: { blocks },
    }),
  ),
];
