/** Renders one automation with its buttons and its history. */
import type { Button, KnownBlock, ModalView } from '@slack/types';
import type { Trigger } from '../../../automations/automation.ts';
import { senderTexts } from '../../../automations/webhook/senders.ts';
import type { HistoryEntry, ListedAutomation } from '../../../store/automations/automation-list.ts';
import { readPresetReference } from '../../configuration/presets.ts';
import { describeConfig } from '../../configuration/run-defaults.ts';
import { isPausedByOwner } from '../../people/permissions.ts';
import { detailsButton } from '../../runs/showing/buttons/run-buttons.ts';
import { boldTitle, titleLine } from '../../runs/showing/run-label.ts';
import { outcomeFacts } from '../../runs/showing/run-outcome.ts';
import {
  actions,
  button,
  confirmation,
  context,
  dangerConfirmation,
  fenced,
  modal,
  section,
} from '../../text/blocks.ts';
import { time } from '../../text/dates.ts';
import { escapeText, shorten } from '../../text/escape-text.ts';
import { dollars } from '../../text/money.ts';
import type { HookAddress } from '../form/form-content.ts';
import { replaceSecretButton } from '../form/form-ids.ts';
import { startNowButton } from '../form/start-now.ts';
import { hookText } from '../form/trigger-inputs.ts';
import {
  automationActions,
  type PagePosition,
  pageView,
  turnButtons,
} from './automation-actions.ts';
import { filterWords, firedText, outcomeText, placeText, triggerText } from './automation-words.ts';

/** Max entries of the history on a page. */
export const entriesAtOnce = 20;
const promptShown = 1_500;

type DetailsContent = {
  position: PagePosition;
  automation: ListedAutomation;
  /** Up to one more than a page shows, newest first. */
  history: readonly HistoryEntry[];
  viewer: { userId: string; isAdmin: boolean };
  /** Names of the allowed bots, by ID. */
  botNames: ReadonlyMap<string, string>;
  hooks: HookAddress;
};

export function renderAutomation(content: DetailsContent): ModalView {
  const { position, automation, history, viewer, botNames, hooks } = content;
  const shown = history.slice(0, entriesAtOnce);
  const last = history.length > shown.length ? shown.at(-1)?.firing : undefined;
  const next = last && { before: { happenedAt: last.happenedAt, id: last.id } };
  const acts = renderActs(automation, viewer);
  return modal({
    title: 'Automation',
    callbackId: pageView,
    metadata: { ...position, automationId: automation.id },
    blocks: [
      actions([button(automationActions.list, '← Automations')]),
      section(`${boldTitle(automation.name)}\n${stateText(automation)}`),
      section(renderFacts(automation, botNames)),
      ...(automation.definition.trigger.kind === 'webhook' && viewer.userId === automation.ownerId
        ? [section(hookText(hooks, automation.id))]
        : []),
      fenced(automation.definition.prompt, promptShown),
      ...(acts.length > 0 ? [actions(acts)] : []),
      { type: 'divider' },
      section('*History*'),
      ...(shown.length === 0 ? [context('Nothing has started it yet.')] : []),
      ...shown.map((entry) => renderEntry(entry, botNames)),
      ...turnButtons(['← Newest', 'Older →'], { isFirst: !position.before, next }),
    ],
  });
}

function stateText({ pause, nextAt }: ListedAutomation): string {
  if (pause) return `⏸️ Paused since ${time(pause.at)}: ${pause.sentence}`;
  return nextAt === null ? 'On' : `On  ·  next run: ${time(nextAt)}`;
}

function renderFacts(automation: ListedAutomation, botNames: DetailsContent['botNames']): string {
  const { ownerId, definition, spentMicros } = automation;
  const { trigger, preset, config, startsPerHour, activeRuns } = definition;
  const presetName = preset === null ? undefined : (readPresetReference(preset)?.name ?? preset);
  const facts = [
    ['Trigger', triggerText(trigger, botNames)],
    ['Only if', filterWords(automation)],
    ['Runs as', `<@${ownerId}>, ${placeText(automation)}`],
    ['Preset', presetName && escapeText(presetName, 100)],
    ['Options', Object.keys(config).length > 0 && escapeText(describeConfig(config), 500)],
    [
      'Limits',
      `${startsPerHour} starts an hour, ${activeRuns} active ${activeRuns === 1 ? 'run' : 'runs'}`,
    ],
    ['Spent in 30 days', spentMicros > 0 && dollars(spentMicros)],
  ].flatMap(([label, value]) => (value ? [`*${label}:* ${value}`] : []));
  return facts.join('\n');
}

/** Renders the buttons for what this person can do. The click is checked again. */
function renderActs(
  automation: ListedAutomation,
  { userId, isAdmin }: DetailsContent['viewer'],
): Button[] {
  const { id, name, ownerId, pause, definition } = automation;
  const isOwner = userId === ownerId;
  if (!isOwner && !isAdmin) return [];
  const value = id;
  const shown = shorten(titleLine(name), 60);
  return [
    isOwner
      ? button(automationActions.edit, 'Edit', { value })
      : button(automationActions.takeOver, 'Take over', { value }),
    ...renderTurn(automation, isOwner),
    ...(isOwner && !pause && definition.trigger.kind === 'schedule' ? [startNowButton(id)] : []),
    ...(isOwner && hasOwnSecret(definition.trigger) ? [replaceSecretButton(id)] : []),
    button(automationActions.remove, 'Delete', {
      value,
      style: 'danger',
      confirm: dangerConfirmation(
        'Delete this automation?',
        `${shown} and its history will be deleted. Its runs stay.`,
        'Delete',
        'Keep it',
      ),
    }),
  ];
}

/** Returns true for a webhook whose secret the app makes. The others are replaced in the form. */
const hasOwnSecret = (trigger: Trigger): boolean =>
  trigger.kind === 'webhook' && !senderTexts[trigger.sender].makesSecret;

/** Renders *Pause*, or *Resume* for those who can. */
function renderTurn(automation: ListedAutomation, isOwner: boolean): Button[] {
  const { id: value, name, pause } = automation;
  if (pause && !isOwner && isPausedByOwner(automation)) return [];
  if (pause) return [button(automationActions.resume, 'Resume', { value })];
  const confirm = confirmation(
    'Pause this automation?',
    `${shorten(titleLine(name), 60)} starts no runs until someone resumes it. Its active runs continue.`,
    'Pause',
    'Keep it on',
  );
  return [button(automationActions.pause, 'Pause', { value, confirm })];
}

function renderEntry(entry: HistoryEntry, botNames: ReadonlyMap<string, string>): KnownBlock {
  const { firing, request } = entry;
  const facts = [
    time(firing.happenedAt),
    firedText(firing, botNames),
    outcomeText(entry),
    ...outcomeFacts(request?.run ?? null).map((fact) => escapeText(fact, 60)),
  ].join('  ·  ');
  return request ? section(facts, detailsButton(request.id)) : context(facts);
}
