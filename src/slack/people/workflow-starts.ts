/** The workspace's setting of whether workflows may also start runs without a person, and in private channels. */
import { z } from 'zod';
import type { SettingOwner } from '../../store/people/settings.ts';
import { setting } from '../configuration/setting.ts';

export const workflowsStartAnywhere = setting('workflows.start-anywhere', z.boolean().catch(false));

export const workspaceOwner = (teamId: string): SettingOwner => ({
  teamId,
  scope: 'workspace',
  scopeId: teamId,
});
