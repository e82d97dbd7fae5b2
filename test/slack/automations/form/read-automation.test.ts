import { describe, expect, it } from 'vitest';
import type { Definition } from '../../../../src/automations/automation.ts';
import type { AutomationValues } from '../../../../src/slack/automations/form/form-content.ts';
import {
  automationValues,
  readAutomation,
  splitConfig,
} from '../../../../src/slack/automations/form/read-automation.ts';

const common: AutomationValues = {
  automation_name: 'Nightly check',
  channel: 'C1',
  prompt: 'Check the dependencies',
  starts_per_hour: '20',
  active_runs: '3',
};
const nothingKept = { config: {}, rest: '' };

const read = (values: AutomationValues, kept = nothingKept) =>
  readAutomation({ ...common, ...values }, kept);

/** Reads a form that must have no mistakes. */
function definitionOf(values: AutomationValues, kept = nothingKept): Definition {
  const answer = read(values, kept);
  if ('errors' in answer) throw new Error(JSON.stringify(answer.errors));
  return answer.answers.definition;
}

const triggers: Definition['trigger'][] = [
  { kind: 'schedule', cron: '0 9 * * MON-FRI', timeZone: 'Europe/Berlin', overlap: 'queue' },
  { kind: 'schedule', cron: '7 3 1-5 * *', timeZone: 'UTC', overlap: 'skip' },
  { kind: 'webhook', sender: 'sentry', filter: [] },
  {
    kind: 'webhook',
    sender: 'github',
    filter: [
      [{ field: 'action', is: 'equals', text: 'labeled' }],
      [
        { field: 'issue.title', is: 'contains', text: 'crash' },
        { field: 'issue.title', is: 'matches', text: '*panic*' },
      ],
    ],
  },
  { kind: 'message', text: 'FIRING*', people: ['U1', 'U2'], bots: [], onlyBots: false },
  { kind: 'message', text: '', people: ['U1'], bots: ['B1'], onlyBots: false },
  { kind: 'message', text: '', people: [], bots: ['B1', 'B2'], onlyBots: true },
  { kind: 'reaction', emoji: 'eyes' },
];

describe('the form of an automation', () => {
  it.each(triggers)('reads back what it shows: %j', (trigger) => {
    const definition: Definition = {
      trigger,
      prompt: 'Check the dependencies',
      title: 'Dependencies',
      preset: 'channel:review',
      config: { environment_id: 'shop', model_id: 'large' },
      show: 'thread',
      startsPerHour: 5,
      activeRuns: 1,
    };
    expect(definitionOf(automationValues(definition))).toEqual(definition);
  });

  it('keeps options and the end of a long prompt that it does not show, unless their boxes are cleared', () => {
    const config = {
      environment_id: 'shop',
      skill_spec: 'acme/skills:review',
      base_prompt: 'Short',
    };
    const { shown, kept } = splitConfig(config);
    expect(shown).toEqual({ environment_id: 'shop' });
    const whole = `${'x'.repeat(3_000)} and the rest`;
    const values = automationValues({ prompt: whole, config });
    const rest = whole.slice(3_000);
    const schedule = { trigger: 'schedule', when: 'every day at 9:00', time_zone: 'UTC' };
    const all = { ...values, ...schedule, rest: 'rest', kept: 'kept' };
    expect(definitionOf(all, { config: kept, rest })).toMatchObject({ prompt: whole, config });
    expect(definitionOf({ ...all, rest: '', kept: '' }, { config: kept, rest })).toMatchObject({
      prompt: 'x'.repeat(3_000),
      config: { environment_id: 'shop' },
    });
  });

  it.each<[values: AutomationValues, field: string, words: string]>([
    [{ trigger: 'schedule', when: 'now and then', time_zone: 'UTC' }, 'when', "isn't a schedule"],
    [{ trigger: 'schedule', when: '', time_zone: 'UTC' }, 'when', 'Say when it runs'],
    [{ trigger: 'schedule', when: '0 9 30 2 *', time_zone: 'UTC' }, 'when', "can't be used"],
    [
      { trigger: 'schedule', when: 'every day at 9:00', time_zone: 'Berlin' },
      'time_zone',
      'Europe/Berlin',
    ],
    [{ trigger: 'webhook', filter: 'issue.title is big' }, 'filter', "isn't a condition"],
    [{ trigger: 'message', from: 'bots', bots: '' }, 'bots', 'at least one bot'],
    [{ trigger: 'message', from: 'people', bots: 'B1' }, 'from', 'Select Bots'],
    [{ trigger: 'reaction', emoji: '👀' }, 'emoji', ':eyes:'],
    [{ trigger: 'reaction', emoji: ':eyes: :tada:' }, 'emoji', ':eyes:'],
    [{ trigger: 'reaction', emoji: 'eyes', prompt: '' }, 'prompt', 'Describe'],
    [
      { trigger: 'reaction', emoji: 'eyes', prompt: 'Look at {{ payload.x }}' },
      'prompt',
      "isn't a value of this trigger",
    ],
    [
      { trigger: 'reaction', emoji: 'eyes', title: '{{ payload.x }}' },
      'title',
      "isn't a value of this trigger",
    ],
    [{ trigger: 'reaction', emoji: 'eyes', active_runs: '0' }, 'active_runs', '1 to 100'],
    [{ trigger: 'reaction', emoji: 'eyes', starts_per_hour: 'many' }, 'starts_per_hour', '1,000'],
    [{ trigger: 'reaction', emoji: 'eyes', starts_per_hour: '1.5' }, 'starts_per_hour', '1,000'],
    [{ trigger: 'reaction', emoji: 'eyes', preset: 'mine' }, 'preset', 'from the list'],
    [
      { trigger: 'reaction', emoji: 'eyes', automation_name: '' },
      'automation_name',
      'Enter a name',
    ],
    [{ trigger: 'reaction', emoji: 'eyes', channel: '' }, 'channel', 'Choose a channel'],
  ])('explains a mistake: %j', (values, field, words) => {
    expect(read(values)).toEqual({ errors: { [field]: expect.stringContaining(words) } });
  });

  it.each([':eyes:', 'eyes', 'EYES', ':eyes::skin-tone-3:'])('reads the emoji %s', (emoji) => {
    expect(definitionOf({ trigger: 'reaction', emoji }).trigger).toEqual({
      kind: 'reaction',
      emoji: 'eyes',
    });
  });

  it.each([
    [':constructor:', 'constructor'],
    [':thumbsup:', '+1'],
    ['thumbsup::skin-tone-2:', '+1'],
    ['+1', '+1'],
    [':thumbsdown:', '-1'],
    ['poop', 'hankey'],
  ])('reads %s as %s, which is its name in events', (emoji, name) => {
    expect(definitionOf({ trigger: 'reaction', emoji }).trigger).toMatchObject({ emoji: name });
  });

  it('has no people for messages from bots', () => {
    const all = { trigger: 'message', people: 'U1', bots: 'B1' };
    expect(definitionOf({ ...all, from: 'bots' }).trigger).toMatchObject({ people: [] });
  });
});
