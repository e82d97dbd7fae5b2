import type { WebClient } from '@slack/web-api';
import { fingerprint } from 'base/fingerprint';
import {
  type Definition,
  defaultLimits,
  mostInChannel,
  nextAtOf,
} from '../../../automations/automation.ts';
import { readSchedule } from '../../../automations/schedule-words.ts';
import { templateProblem } from '../../../automations/template.ts';
import type { Automations } from '../../../store/automations/automations.ts';
import type { Settings } from '../../../store/people/settings.ts';
import { presetReference } from '../../configuration/presets.ts';
import { readOptions, readTypedConfig } from '../../configuration/typed-options.ts';
import type { Asker } from '../../people/setting.ts';
import { escapeText } from '../../text/escape-text.ts';
import type { AutomationRights } from '../automation-rights.ts';
import type { CheckAutomation } from './check-automation.ts';
import { nameFrom } from './form-source.ts';
import type { OpenAutomationForm, ReadTimeZone } from './open-automation-form.ts';
import { savedBlocks } from './saved-view.ts';

type Problem = { problem: string };
type TypedPrompt = Pick<Definition, 'prompt' | 'title' | 'preset' | 'config'>;

type Typed = {
  asker: Asker;
  triggerId: string;
  client: WebClient;
  /** Schedule in words or as cron. Empty if only `/agent schedule` was typed. */
  when: string;
  /** Options and prompt. Undefined if nothing was typed for them. */
  prompt: string | undefined;
};

type Deps = {
  automations: Pick<Automations, 'create' | 'find'>;
  settings: Pick<Settings, 'list'>;
  openAutomationForm: OpenAutomationForm;
  checkAutomation: CheckAutomation;
  automationRights: Pick<AutomationRights, 'defaultStartsPerHour'>;
  readTimeZone: ReadTimeZone;
};

/**
 * Creates the answer to `/agent schedule`, which creates an automation in the channel, or opens the form if the prompt
 * is missing. The same command again is a repeated delivery, which creates nothing more.
 */
export function createScheduleAnswer(deps: Deps) {
  const { automations, settings, openAutomationForm, checkAutomation, readTimeZone } = deps;
  const { automationRights } = deps;
  return async ({ asker, triggerId, client, when, prompt: typed }: Typed) => {
    const schedule = when === '' && typed === undefined ? undefined : readSchedule(when);
    if (schedule && 'problem' in schedule) {
      const missing = typed === undefined ? `${needsBar} ` : '';
      return { problem: `${missing}${escapeText(schedule.problem, 1_000)}` };
    }
    if (!schedule || !typed) {
      await openAutomationForm(client, { triggerId, asker }, { when });
      return undefined;
    }
    const read = await readPrompt(asker, typed);
    if ('problem' in read) return read;
    const [timeZone, startsPerHour] = await Promise.all([
      readTimeZone(asker),
      automationRights.defaultStartsPerHour(asker, asker.channelId),
    ]);
    const trigger = { kind: 'schedule', cron: schedule.cron, timeZone, overlap: 'skip' } as const;
    const definition: Definition = { ...standard, ...read, startsPerHour, trigger };
    const errors = Object.values(await checkAutomation(asker, { ...asker, definition }));
    if (errors.length > 0) return { problem: escapeText(errors.join(' '), 1_000) };
    return create({ ...asker, id: fingerprint({ ...asker, triggerId }) }, definition);
  };

  async function readPrompt(asker: Asker, typed: string): Promise<Problem | TypedPrompt> {
    const read = readOptions(typed);
    if (!read.ok) return { problem: read.problem };
    const { options, dryRun, rest: prompt } = read;
    if (dryRun) return { problem: noDryRun };
    if (!prompt) return { problem: 'Add a prompt after the options.' };
    const unknown = templateProblem(prompt, 'schedule');
    if (unknown) return { problem: escapeText(unknown, 1_000) };
    const config = await readTypedConfig(settings, asker, options);
    if (!config.ok) return { problem: config.problem };
    const preset = config.preset ? presetReference(config.preset) : null;
    return { prompt, title: options.title ?? '', preset, config: config.config };
  }

  async function create(
    { id, teamId, userId, channelId }: Asker & { id: string },
    definition: Definition,
  ) {
    const { title, prompt } = definition;
    const createdAt = Date.now();
    const nextAt = nextAtOf(definition, createdAt);
    const first = { id, teamId, ownerId: userId, channelId, definition, nextAt, createdAt };
    for (let number = 1; number <= mostOfName; number += 1) {
      const name = nameFrom(title || prompt, number);
      const outcome = await automations.create({ ...first, name }, userId);
      if (outcome === 'name taken') continue;
      if (outcome === 'channel full') return { problem: channelFull };
      const automation = await automations.find(teamId, id);
      return (
        automation && {
          text: 'Created an automation',
          blocks: savedBlocks({ automation, isNew: true }),
        }
      );
    }
    return {
      problem: 'There are too many automations with this name. Add `title=` before the prompt.',
    };
  }
}

const standard = { show: 'message', activeRuns: defaultLimits.activeRuns } as const;
const mostOfName = 20;
const channelFull = `This channel has ${mostInChannel} automations already, and no more fit. Use another channel, or delete one in \`/agent automations\`.`;
const needsBar =
  'Put `|` between the schedule and the prompt: `/agent schedule every weekday at 9:00 | check the dependencies`. To start a run with this text, type `/agent run schedule …`.';
const noDryRun =
  "Nothing was created, because `--dry-run` isn't for schedules. To test one first, type `/agent schedule` and select *Test*.";
