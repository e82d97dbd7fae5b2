import { renderUsageModal } from '../../../src/slack/usage/usage-modal.ts';
import { renderUsage } from '../../../src/slack/usage/usage-view.ts';
import { aUsage, busyWeek, noSpending } from '../../slack/usage/a-usage.ts';
import type { PreviewCase } from '../preview-cases.ts';

const one = { ...busyWeek, incompleteRuns: 0, unreportedRuns: 0 };
const cases = {
  everyone: aUsage(),
  'everyone, for an admin': aUsage({ report: one, hiddenMicros: 12_000_000 }),
  me: aUsage({ report: one, question: { scope: { of: 'me' }, days: 30 } }),
  'a person without runs': aUsage({
    report: noSpending,
    question: { scope: { of: 'person', userId: 'U04GRACEHOP' }, days: 7 },
  }),
};

const answers = Object.entries(cases).map(([name, usage]): PreviewCase => {
  const { text, blocks } = renderUsage(usage, 'typed');
  return { group: 'Usage', name, kind: 'message', text, payload: { blocks } };
});
const choice = { of: 'channel', channelId: 'C1', days: 7 } as const;
const ofChannel = aUsage({ question: { scope: choice, days: 7 } });

/** Answers to `/agent usage`, and the modal that Home opens. */
export const usageCases: readonly PreviewCase[] = [
  ...answers,
  {
    group: 'Usage',
    name: 'chosen in Home',
    kind: 'modal',
    payload: renderUsageModal(choice, renderUsage(ofChannel, 'chosen').blocks),
  },
];
