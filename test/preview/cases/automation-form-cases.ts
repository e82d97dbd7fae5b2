import { readyMade } from '../../../src/automations/ready-made.ts';
import { renderAutomationForm } from '../../../src/slack/automations/form/automation-form.ts';
import type { AutomationFormContent } from '../../../src/slack/automations/form/form-content.ts';
import { automationValues } from '../../../src/slack/automations/form/read-automation.ts';
import { renderSaved } from '../../../src/slack/automations/form/saved-view.ts';
import { aDefinition, anAutomation, everyMorning } from '../../support/automations.ts';

const hooks = { publicUrl: 'https://agent.example.com', isServed: true };
const content: AutomationFormContent = {
  metadata: { channelId: 'C04ENGINEER', id: 'aB3', version: 0 },
  values: { time_zone: 'Europe/Berlin' },
  bots: [],
  connections: ['default'],
  hooks,
};
const [labeled] = readyMade;
const message = { text: 'FIRING*', people: ['U1'], bots: ['B1'], onlyBots: false };

const contents: [name: string, content: AutomationFormContent][] = [
  ['for a schedule', content],
  [
    'for a webhook',
    { ...content, values: { ...content.values, trigger: 'webhook', sender: 'github' } },
  ],
  [
    'for a webhook of Sentry, where none can be received',
    {
      ...content,
      values: { ...content.values, trigger: 'webhook', sender: 'sentry' },
      hooks: { publicUrl: undefined, isServed: false },
    },
  ],
  [
    'filled from a ready-made automation',
    {
      ...content,
      metadata: { ...content.metadata, version: 1 },
      values: {
        ready_made: labeled?.name ?? '',
        automation_name: labeled?.name ?? '',
        ...automationValues(
          aDefinition({
            trigger: { kind: 'webhook', sender: 'github', filter: labeled?.filter ?? [] },
            prompt: labeled?.prompt ?? '',
          }),
        ),
      },
    },
  ],
  ['for messages, without allowed bots', { ...content, values: { trigger: 'message' } }],
  [
    'for messages of bots, to edit',
    {
      ...content,
      metadata: { ...content.metadata, source: { from: 'automation', revision: 1 } },
      values: {
        automation_name: 'Alerts',
        channel: 'C04ENGINEER',
        ...automationValues(aDefinition({ trigger: { kind: 'message', ...message } })),
      },
      bots: [{ botId: 'B1', name: 'Alertmanager' }],
      kept: 'Skill acme/skills:review · Group nightly',
      rest: 'Then close the alerts that are over.',
      notices: ['⏸️ This automation is paused. <@U1> paused it.'],
    },
  ],
  ['for a reaction', { ...content, values: { trigger: 'reaction' } }],
];

const automation = {
  ...anAutomation({ nextAt: Date.parse('2026-11-02T08:00:00Z') }),
  pause: null,
  failedStarts: 0,
  changedAt: 0,
  changedBy: 'U1',
  revision: 0,
};
const everyMinute = aDefinition({ trigger: { ...everyMorning, cron: '* * * * *' } });
const webhook = aDefinition({ trigger: { kind: 'webhook', sender: 'bearer', filter: [] } });

/** The form of an automation, and what it says when it's saved. */
export const automationFormCases = [
  ...contents.map(([name, each]) => ({ name, view: renderAutomationForm(each) })),
  { name: 'saved, a schedule', view: renderSaved({ automation, isNew: true }, hooks) },
  {
    name: 'saved, a schedule that is due more often than its limit',
    view: renderSaved(
      { automation: { ...automation, definition: everyMinute }, isNew: true },
      hooks,
    ),
  },
  {
    name: 'saved, a webhook with its secret',
    view: renderSaved(
      { automation: { ...automation, definition: webhook }, isNew: true, secret: 'whsec_c2VjcmV0' },
      hooks,
    ),
  },
];
