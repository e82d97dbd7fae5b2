import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { type TriggerKind, triggerKinds } from '../../../automations/automation.ts';
import type { ConfigField, DefaultValue } from '../../configuration/run-defaults.ts';
import { readViewMetadata } from '../../posting/modals.ts';
import { type FormState, readFormValue } from '../../text/form-inputs.ts';
import type { AllowedBot } from '../allowed-bots.ts';

export const automationMetadataSchema = z.object({
  /** Conversation in which the form was opened. Empty in the Home tab. */
  channelId: z.string(),
  /** ID of the automation. A new one has it before it's saved, so that its address can be given to a sender. */
  id: z.string(),
  /** Where the form was filled from. */
  source: z
    .discriminatedUnion('from', [
      z.object({ from: z.enum(['automation', 'takeover']), revision: z.number() }),
      z.object({ from: z.literal('run'), requestId: z.string() }),
    ])
    .optional(),
  /** Grows when the app replaces typed text, because Slack keeps the text of inputs with the same block ID. */
  version: z.number(),
});
export type AutomationMetadata = z.infer<typeof automationMetadataSchema>;

export const automationFields = [
  ...([
    'automation_name',
    'trigger',
    'ready_made',
    'channel',
    'when',
    'time_zone',
    'overlap',
  ] as const),
  ...(['sender', 'filter', 'secret', 'text', 'from', 'people', 'bots', 'emoji'] as const),
  ...(['prompt', 'rest', 'preset', 'connection', 'environment_id', 'model_id', 'kept'] as const),
  ...(['title', 'show', 'starts_per_hour', 'active_runs'] as const),
] as const;
export type AutomationField = (typeof automationFields)[number];
/** Texts of the inputs. Inputs that the form doesn't show have none. */
export type AutomationValues = Partial<Record<AutomationField, string>>;

/** Address at which the bot receives webhooks. */
export type HookAddress = {
  /** Public address of the bot, without a slash at the end. Undefined if the operator didn't set one. */
  publicUrl: string | undefined;
  /** False if the bot listens on no port. */
  isServed: boolean;
};

export type AutomationFormContent = {
  metadata: AutomationMetadata;
  values: AutomationValues;
  /** Notices above the fields, in mrkdwn. */
  notices?: readonly string[];
  /** Names to show for IDs. */
  names?: ReadonlyMap<string, string>;
  bots: readonly Pick<AllowedBot, 'botId' | 'name'>[];
  /** Names of the connections to offer. */
  connections: readonly string[];
  defaultEnvironment?: DefaultValue | undefined;
  /** Options that the form doesn't show and keeps, in words. */
  kept?: string | undefined;
  /** These options in full, for a new owner to read. */
  keptInFull?: string | undefined;
  /** End of the prompt, which doesn't fit into its input. */
  rest?: string;
  hooks: HookAddress;
  /** Blocks below *Test* that show its result. */
  tested?: readonly KnownBlock[];
};

/** Returns the block ID of a field. */
export const blockIdOf = (
  { version }: AutomationMetadata,
  field: AutomationField | ConfigField,
): string => (version === 0 ? field : `${field}.${version}`);

export type AutomationFormView = { private_metadata: string; state: FormState };

/**
 * Reads the metadata that the form carries.
 * @throws OutdatedViewError
 */
export const readAutomationMetadata = (
  view: Pick<AutomationFormView, 'private_metadata'>,
): AutomationMetadata => readViewMetadata(automationMetadataSchema, view);

export function readAutomationValues(view: AutomationFormView): AutomationValues {
  const metadata = readAutomationMetadata(view);
  return Object.fromEntries(
    automationFields.flatMap((field) => {
      const value = readFormValue(view.state, blockIdOf(metadata, field));
      return value === undefined ? [] : [[field, value]];
    }),
  );
}

export const triggerOf = ({ trigger }: AutomationValues): TriggerKind =>
  triggerKinds.find((kind) => kind === trigger) ?? 'schedule';
