/** Reads the submitted form of an automation. */
import { cronProblem } from 'base/schedule/cron';
import { isTimeZone } from 'base/time/local-time';
import type { AgentConfig } from 'runs-client/contract';
import {
  type Definition,
  definitionSchema,
  type Trigger,
} from '../../../automations/automation.ts';
import { filterText, readFilter } from '../../../automations/filter.ts';
import { readSchedule, scheduleWords } from '../../../automations/schedule-words.ts';
import { templateProblem } from '../../../automations/template.ts';
import { operatorConnection } from '../../../requests/connection.ts';
import { configValues, readConfigValues } from '../../configuration/config-inputs.ts';
import { readPresetReference } from '../../configuration/presets.ts';
import type { ConfigField } from '../../configuration/run-defaults.ts';
import { cutToInput } from '../../text/form-inputs.ts';
import { type AutomationField, type AutomationValues, triggerOf } from './form-content.ts';
import { listOf, senderOf } from './trigger-inputs.ts';

/** Configuration fields with an input. The form keeps the others as they are. */
const shownFields: readonly ConfigField[] = ['connection', 'environment_id', 'model_id'];

export type Errors = Partial<Record<AutomationField, string>>;

export type AutomationAnswers = {
  name: string;
  channelId: string;
  definition: Definition;
  /** Secret that someone pasted. Empty if there is none. */
  secret: string;
};

/** Splits a configuration into the options that the form shows, and the others. */
export function splitConfig(config: AgentConfig): { shown: AgentConfig; kept: AgentConfig } {
  const isShown = (field: string) => shownFields.some((each) => each === field);
  const entries = Object.entries(config).filter(([, value]) => value !== undefined);
  return {
    shown: Object.fromEntries(entries.filter(([field]) => isShown(field))),
    kept: Object.fromEntries(entries.filter(([field]) => !isShown(field))),
  };
}

/** Options without an input, and the end of a prompt that doesn't fit into its input. */
type Kept = { config: AgentConfig; rest: string };

/** Returns what the form keeps without showing it. */
export const keptOf = ({ definition }: { definition: Partial<Definition> }): Kept => ({
  config: splitConfig(definition.config ?? {}).kept,
  rest: cutToInput(definition.prompt ?? '').rest,
});

/** Returns the texts of the inputs for a definition. */
export function automationValues(definition: Partial<Definition>): AutomationValues {
  const { trigger, prompt = '', title, preset, config = {}, show } = definition;
  const { startsPerHour, activeRuns } = definition;
  return {
    ...(trigger && triggerValues(trigger)),
    prompt: cutToInput(prompt).beginning,
    title: title ?? '',
    preset: preset ?? '',
    ...configValues(splitConfig(config).shown),
    ...(show && { show }),
    ...(startsPerHour && { starts_per_hour: `${startsPerHour}` }),
    ...(activeRuns && { active_runs: `${activeRuns}` }),
  };
}

function triggerValues(trigger: Trigger): AutomationValues {
  const { kind } = trigger;
  switch (kind) {
    case 'schedule': {
      const { cron, timeZone, overlap } = trigger;
      return { trigger: kind, when: scheduleWords(cron), time_zone: timeZone, overlap };
    }
    case 'webhook':
      return { trigger: kind, sender: trigger.sender, filter: filterText(trigger.filter) };
    case 'message': {
      const { text, people, bots, onlyBots } = trigger;
      const from = onlyBots ? 'bots' : bots.length > 0 ? 'both' : 'people';
      return { trigger: kind, text, people: people.join(), bots: bots.join(), from };
    }
    case 'reaction':
      return { trigger: kind, emoji: `:${trigger.emoji}:` };
  }
}

/** Reads the automation, or a mistake for each field. */
export function readAutomation(
  values: AutomationValues,
  { config: kept, rest }: Kept,
): { answers: AutomationAnswers } | { errors: Errors } {
  const errors: Errors = {};
  const kind = triggerOf(values);
  const trigger = readTrigger(values, errors);
  const prompt = (values.prompt ?? '') + (values.rest ? rest : '');
  for (const [field, template] of [
    ['prompt', prompt],
    ['title', values.title ?? ''],
  ] as const) {
    const problem = templateProblem(template, kind);
    if (problem) errors[field] = problem;
  }
  if (!values.prompt) errors.prompt = 'Describe what the agent should do.';
  if (!values.automation_name) errors.automation_name = 'Enter a name.';
  if (!values.channel) errors.channel = 'Choose a channel.';
  const { preset } = values;
  if (preset && !readPresetReference(preset)) errors.preset = 'Choose a preset from the list.';
  const startsPerHour = readNumber(values, 'starts_per_hour', 1_000, errors);
  const activeRuns = readNumber(values, 'active_runs', 100, errors);
  const { connection = '', environment_id = '', model_id = '' } = values;
  const { config } = readConfigValues({ connection, environment_id, model_id });
  // Store the operator's connection as undefined, because a run without a connection uses it.
  if (config['connection'] === operatorConnection) config['connection'] = undefined;
  if (Object.keys(errors).length > 0 || !trigger) return { errors };
  const definition = definitionSchema.parse({
    trigger,
    prompt,
    title: values.title ?? '',
    preset: preset || null,
    config: withoutUnset({ ...(values.kept && kept), ...config }),
    show: values.show === 'thread' ? 'thread' : 'message',
    startsPerHour,
    activeRuns,
  });
  const { automation_name: name = '', channel: channelId = '', secret = '' } = values;
  return { answers: { name, channelId, definition, secret } };
}

const withoutUnset = (config: AgentConfig): AgentConfig =>
  Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));

function readNumber(
  values: AutomationValues,
  field: 'starts_per_hour' | 'active_runs',
  most: number,
  errors: Errors,
): number {
  const number = Number(values[field]);
  if (!Number.isInteger(number) || number < 1 || number > most)
    errors[field] = `Type a number from 1 to ${most.toLocaleString('en')}.`;
  return number;
}

function readTrigger(values: AutomationValues, errors: Errors): Trigger | undefined {
  const kind = triggerOf(values);
  switch (kind) {
    case 'schedule':
      return readScheduleTrigger(values, errors);
    case 'webhook': {
      const filter = readFilter(values.filter ?? '');
      if ('problem' in filter) errors.filter = filter.problem;
      return 'problem' in filter ? undefined : { kind, sender: senderOf(values), filter };
    }
    case 'message':
      return readMessageTrigger(values, errors);
    case 'reaction': {
      const emoji = readEmoji(values.emoji ?? '');
      if (!emoji) errors.emoji = 'Type the name of one emoji, such as :eyes:.';
      return emoji ? { kind, emoji } : undefined;
    }
  }
}

function readScheduleTrigger(values: AutomationValues, errors: Errors): Trigger | undefined {
  const { when = '', time_zone: timeZone = '', overlap } = values;
  const schedule = readSchedule(when);
  if (!isTimeZone(timeZone)) errors.time_zone = 'Type a time zone such as Europe/Berlin or UTC.';
  if ('problem' in schedule) {
    errors.when = schedule.problem;
    return undefined;
  }
  const { cron } = schedule;
  const problem = errors.time_zone ? undefined : cronProblem({ cron, timeZone });
  if (problem) errors.when = `This schedule can't be used, because ${problem}.`;
  return { kind: 'schedule', cron, timeZone, overlap: overlap === 'queue' ? 'queue' : 'skip' };
}

function readMessageTrigger(values: AutomationValues, errors: Errors): Trigger {
  const { text = '', from } = values;
  const bots = listOf(values.bots);
  const onlyBots = from === 'bots';
  if (from === 'people' && bots.length > 0) errors.from = botsIgnored;
  if (from !== 'people' && bots.length === 0) errors.bots = 'Choose at least one bot.';
  return { kind: 'message', text, people: onlyBots ? [] : listOf(values.people), bots, onlyBots };
}

const botsIgnored =
  'Select Bots, or People and bots. For messages from people only, choose no bots.';

/** Returns the name of an emoji without colons and skin tone. Undefined for anything else. */
function readEmoji(typed: string): string | undefined {
  const [, name] = /^:?([a-z0-9_+'-]{1,100})(?::|::skin-tone-\d:)?$/i.exec(typed) ?? [];
  return name?.toLowerCase();
}
