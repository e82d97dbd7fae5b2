/** The content of the form that starts a run. */

import { z } from 'zod';
import { requestOriginSchema } from '../../requests/origin.ts';

export const formIds = {
  view: 'start-run:submit',
  more: 'start-run:more',
  environment: 'start-run:environment',
  model: 'start-run:model',
  skill: 'start-run:skill',
  preset: 'start-run:preset',
} as const;

export const metadataSchema = z.object({
  channelId: z.string(),
  origin: requestOriginSchema,
  /** The Slack conversation that the offered thread and files are from. */
  sourceId: z.string().optional(),
  /** The configuration that the form is filled with has keys that only this person can use. */
  usesOwnKeys: z.boolean().optional(),
  /** *More options* is open. */
  isExpanded: z.boolean(),
  /** The fields are the whole configuration: no defaults are added. */
  isExact: z.boolean(),
  /** In the store: late data, and text that is too long for the form. */
  draftId: z.string(),
  /** That people can choose. */
  connections: z.array(z.string()).optional(),
  /** The layer that the MCP servers were filled from. It has their keys; the form never does. */
  serversFrom: z.string().optional(),
});
export type FormMetadata = z.infer<typeof metadataSchema>;

/** The value of the checkbox that lets others message the run. */
export const sharedKeys = 'shared';

/** Values are text. A field that isn't shown has no value. */
export const formFields = [
  'prompt',
  'connection',
  'environment_id',
  'channel',
  'ticks',
  'keys',
  'context',
  'files',
  'rest',
  'title',
  'preset',
  'model_id',
  'skill_spec',
  'name',
  'base_prompt',
  'mcp_servers',
  'save_as',
  'save_for',
  'save_over',
] as const;
type FormField = (typeof formFields)[number];
export type FormValues = Partial<Record<FormField, string>>;

export type FormContent = {
  metadata: FormMetadata;
  values: FormValues;
  /** Shown above the fields, in mrkdwn. */
  notices?: readonly string[];
  /** Known names of ids. */
  names?: ReadonlyMap<string, string>;
  /** Of the environment that the form is filled with. */
  environmentWarning?: string | undefined;
  /** How many characters of the prompt don't fit into the form. */
  restLength?: number;
  /** Offers to send the thread with the prompt. */
  threadCheckbox?: { text: string; isChecked: boolean } | undefined;
  /** Offers to send files with the prompt: how many, and their size. */
  filesText?: string | undefined;
};
