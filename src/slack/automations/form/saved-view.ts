import type { KnownBlock, ModalView } from '@slack/types';
import { type CronSchedule, mostInHour } from 'base/schedule/cron';
import type { Automation } from '../../../automations/automation.ts';
import { senderTexts } from '../../../automations/webhook/senders.ts';
import { boldTitle } from '../../runs/showing/run-label.ts';
import { actions, context, modal, section } from '../../text/blocks.ts';
import { time } from '../../text/dates.ts';
import { code, escapeText, limits } from '../../text/escape-text.ts';
import { scheduleText } from '../page/automation-words.ts';
import type { HookAddress } from './form-content.ts';
import type { SavedAutomation } from './save-automation.ts';
import { startNowButton } from './start-now.ts';
import { hookText } from './trigger-inputs.ts';

/** Renders what a saved automation does next. It shows a secret that the app made, once. */
export const renderSaved = (saved: SavedAutomation, hooks: HookAddress): ModalView =>
  modal({
    title: 'Automation',
    blocks: savedBlocks(saved, [
      ...renderWebhook(saved.automation, hooks),
      ...(saved.secret ? renderSecret(saved.secret) : []),
    ]),
  });

export function savedBlocks(
  { automation, isNew }: SavedAutomation,
  more: readonly KnownBlock[] = [],
): KnownBlock[] {
  const { name } = automation;
  return [
    section(`✅ ${boldTitle(name)} is ${isNew ? 'on' : 'saved'}. ${nextText(automation)}`),
    ...more,
    context('To change, pause or delete it, type `/agent automations`.'),
    ...renderStart(automation),
  ];
}

/** Says in mrkdwn what starts the automation next. */
function nextText({ definition, channelId, nextAt }: Automation): string {
  const { trigger, startsPerHour } = definition;
  switch (trigger.kind) {
    case 'schedule': {
      const { cron, timeZone } = trigger;
      const next = nextAt === null ? '' : ` Next: ${time(nextAt)}.`;
      return `It runs ${scheduleText(cron)} (${escapeText(timeZone, 64)}), as you, in <#${channelId}>.${next}${tooOften(trigger, startsPerHour)}`;
    }
    case 'webhook':
      return `Deliveries to its URL start runs, as you, in <#${channelId}>.`;
    case 'message':
      return `Matching messages in <#${channelId}> start runs, as you.`;
    case 'reaction':
      return `The reaction :${trigger.emoji}: to a message in <#${channelId}> starts a run, as you.`;
  }
}

/** Warns in mrkdwn if the schedule is due more often than its limit allows. */
function tooOften(schedule: CronSchedule, startsPerHour: number): string {
  const times = mostInHour(schedule, Date.now());
  if (times <= startsPerHour) return '';
  const runs = startsPerHour === 1 ? '1 run an hour starts' : `${startsPerHour} runs an hour start`;
  return `\n⚠️ It's due ${times} times an hour, and at most ${runs}. Change the limit in *Edit*.`;
}

const renderWebhook = ({ id, definition }: Automation, hooks: HookAddress): KnownBlock[] =>
  definition.trigger.kind === 'webhook'
    ? [section(`${hookText(hooks, id)}\n${senderTexts[definition.trigger.sender].setup}`)]
    : [];

/** Renders a new secret. It's shown only here. */
const renderSecret = (secret: string): KnownBlock[] => [
  section(`Secret: ${code(secret, limits.linkedUrl)}`),
  context('⚠️ Copy the secret now. It is never shown again.'),
];

/** Renders *Start now* for a schedule. The others need a delivery or a message. */
const renderStart = ({ id, definition }: Automation): KnownBlock[] =>
  definition.trigger.kind === 'schedule' ? [actions([startNowButton(id)])] : [];
