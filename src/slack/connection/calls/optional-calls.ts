import type { GrantedScopes } from '../installations/granted-scopes.ts';

/** Methods of features that are off without an optional scope. */
const scopes: Readonly<Record<string, string>> = {
  'assistant.threads.setSuggestedPrompts': 'assistant:write',
  'conversations.join': 'channels:join',
  'files.completeUploadExternal': 'files:write',
  'files.getUploadURLExternal': 'files:write',
  'files.info': 'files:read',
  'reactions.add': 'reactions:write',
  'reactions.remove': 'reactions:write',
  'usergroups.list': 'usergroups:read',
  'usergroups.users.list': 'usergroups:read',
};

/** Slack's answer to a call without its optional scope, so that Slack isn't asked; undefined for any other call. */
export function refuseUngranted(
  method: string,
  { has }: Pick<GrantedScopes, 'has'>,
): Response | undefined {
  const needed = scopes[method];
  if (needed === undefined || has(needed)) return undefined;
  return Response.json({ ok: false, error: 'missing_scope', needed });
}
