/** What the form that starts a run holds. */

import type { AgentConfig } from 'runs-client/contract';
import { z } from 'zod';
import { requestOriginSchema } from '../../store/request-origin.ts';
import { writeMcpServers } from '../secrets/mcp-keys.ts';

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
  /** The long tail is shown. */
  isWhole: z.boolean(),
  /** What the fields hold is the whole configuration: no defaults are added. */
  isExact: z.boolean(),
  /** Kept in the store: what is learnt while the form is open, and is too long for it. */
  draftId: z.string(),
  /** Which layer the MCP servers were filled from: their keys are there, and never here. */
  serversFrom: z.string().optional(),
});
export type FormMetadata = z.infer<typeof metadataSchema>;

/** What the fields hold, as text. A field that is not shown has no value. */
export const formFields = [
  'prompt',
  'environment_id',
  'channel',
  'ticks',
  'context',
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
export type FormField = (typeof formFields)[number];
export type FormValues = Partial<Record<FormField, string>>;

export type FormContent = {
  metadata: FormMetadata;
  values: FormValues;
  /** Said above the fields, in mrkdwn. */
  notices?: readonly string[];
  /** Names for ids, where they are known. */
  names?: ReadonlyMap<string, string>;
  /** What of the prompt the form has no room for, in characters. */
  restLength?: number;
  /** Offers to send the thread with the prompt. */
  threadTick?: { text: string; isTicked: boolean } | undefined;
};

/** A configuration as the fields show it. */
export const valuesOf = (config: AgentConfig): FormValues => ({
  environment_id: config.environment_id ?? '',
  model_id: config.model_id ?? '',
  skill_spec: config.skill_spec ?? '',
  name: config.name ?? '',
  base_prompt: config.base_prompt ?? '',
  mcp_servers: writeMcpServers(config.mcp_servers),
});
