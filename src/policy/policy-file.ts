import { readYamlFile } from 'base/files/read-yaml-file';
import { ReloadedFile } from 'base/files/reloaded-file';
import type { Logger } from 'base/logger';
import { z } from 'zod';
import { type Admins, adminsSchema, type Rule, rulesSchema } from './policy.ts';

const contents = { rules: rulesSchema.optional(), admins: adminsSchema.optional() };
const needs = { error: 'needs "rules" or "admins"' };

const fileSchema = z
  .strictObject({
    /** Rules and admins for all workspaces that aren't listed in `workspaces`. */
    ...contents,
    /** Rules and admins by workspace ID. */
    workspaces: z
      .record(
        z.string().regex(/^T[A-Z0-9]{2,30}$/, { error: 'must be the ID of a workspace' }),
        z.strictObject(contents).refine(({ rules, admins }) => rules ?? admins, needs),
      )
      .optional(),
  })
  .refine(({ rules, admins, workspaces }) => rules ?? admins ?? workspaces, needs);
type FileContent = z.infer<typeof fileSchema>;

export type PolicyFile = ReturnType<typeof openPolicyFile>;

/**
 * Reads a policy file.
 * @throws ExplainedError that names the file, the line and the mistake
 */
export const readPolicyFile = (file: string): FileContent =>
  readYamlFile(file, 'policy file', fileSchema);

/**
 * Opens a policy file. It's read again when it changes. While it has mistakes, the last good version applies.
 * @throws ExplainedError when it has mistakes at the start
 */
export function openPolicyFile(file: string, logger: Logger) {
  const content = new ReloadedFile({
    file,
    read: readPolicyFile,
    what: 'rules',
    describe: ({ rules, admins, workspaces }) => ({
      rules: rules?.map(({ name }) => name),
      admins,
      workspaces: workspaces && Object.keys(workspaces),
    }),
    logger,
  });
  return {
    /** Returns a workspace's rules in the file. Undefined if the file leaves this workspace to its admins. */
    rulesOf(teamId: string): readonly Rule[] | undefined {
      const { rules, workspaces } = content.current();
      return workspaces?.[teamId]?.rules ?? rules;
    },
    /** Returns the people that the file makes admins of the app in a workspace. */
    adminsOf(teamId: string): Admins {
      const { admins, workspaces } = content.current();
      return workspaces?.[teamId]?.admins ?? admins ?? {};
    },
    problem: () => content.problem(),
    start: () => content.start(),
    stop: () => content.stop(),
  };
}
