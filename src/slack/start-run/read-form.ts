/** Reads the submitted form that starts a run. */

import type { AgentConfig } from 'runs-client/contract';
import { operatorConnection } from '../../requests/connection.ts';
import type { RequestOrigin } from '../../requests/origin.ts';
import { scopeSchema } from '../../store/people/settings.ts';
import { readConfigValues } from '../configuration/config-inputs.ts';
import { type PresetName, presetGone, readPresetReference } from '../configuration/presets.ts';
import { isReplacing, type WantedPreset } from '../configuration/save-preset.ts';
import { readViewMetadata } from '../posting/modals.ts';
import { type FormState, readFormValue } from '../text/form-inputs.ts';
import {
  type FormMetadata,
  type FormValues,
  formFields,
  metadataSchema,
  sharedKeys,
} from './start-run-form.ts';

export type FormView = { private_metadata: string; state: FormState };

/**
 * Reads the metadata that the form carries.
 * @throws OutdatedViewError
 */
export function readFormMetadata(view: Pick<FormView, 'private_metadata'>): FormMetadata {
  return readViewMetadata(metadataSchema, view);
}

export function readFormValues({ state }: FormView): FormValues {
  return Object.fromEntries(
    formFields
      .map((field) => [field, readFormValue(state, field)] as const)
      .filter(([, value]) => value !== undefined),
  );
}

export type FormAnswers = {
  metadata: FormMetadata;
  prompt: string;
  title: string;
  channelId: string;
  notify: boolean;
  /** True if other people can message the run while it uses this person's keys. */
  sharesKeys: boolean;
  /** Values of all checked boxes in the form. */
  checked: readonly string[];
  /** True if the form offered to send the thread. */
  isContextShown: boolean;
  preset: PresetName | undefined;
  /** Preset to save the configuration as. */
  save: WantedPreset | undefined;
  /** Configuration from the fields. Empty and invalid fields are undefined. Fields that aren't shown have no key. */
  config: AgentConfig;
};

/**
 * Returns the answers, and an error for each invalid field.
 * @throws OutdatedViewError
 */
export function readStartRunForm(view: FormView): {
  answers: FormAnswers;
  errors: Record<string, string>;
} {
  const metadata = readFormMetadata(view);
  const values = readFormValues(view);
  const { config, errors: configErrors } = readConfigValues(values);
  // Store the operator's connection as undefined, because a run without a connection uses it.
  if (config['connection'] === operatorConnection) config['connection'] = undefined;
  const errors: Record<string, string> = { ...configErrors };
  const preset = values.preset ? readPresetReference(values.preset) : undefined;
  if (values.preset && !preset) errors['preset'] = presetGone;
  if (!values.prompt) errors['prompt'] = 'Describe what the agent should do.';
  const checked = [values.ticks, values.keys, values.context, values.files, values.rest]
    .flatMap((each) => each?.split(',') ?? [])
    .filter(Boolean);
  const { save_as: name, save_for: scope, save_over: over } = values;
  const answers = {
    metadata,
    prompt: values.prompt ?? '',
    title: values.title ?? '',
    channelId: values.channel || metadata.channelId,
    notify: checked.includes('notify'),
    sharesKeys: checked.includes(sharedKeys),
    checked,
    isContextShown: values.context !== undefined,
    preset,
    save: name
      ? { name, scope: scopeSchema.catch('person').parse(scope), replaces: isReplacing(over) }
      : undefined,
    config,
  };
  return { answers, errors };
}

/** Returns the origin of the run. Leaves out the thread if the person chose another channel. */
export function originOf(answers: FormAnswers): RequestOrigin {
  const { metadata, channelId, notify, sharesKeys } = answers;
  const { threadTs, ...origin } = metadata.origin;
  const staysThere = threadTs !== undefined && channelId === metadata.channelId;
  return {
    ...origin,
    ...(staysThere && { threadTs }),
    notify,
    ...(sharesKeys && { sharesKeys }),
  };
}
