/** Features that need an optional scope of manifest.yml, as the doctor and the log name them. */
const features: Readonly<Record<string, string>> = {
  'assistant:write': 'suggested prompts',
  'channels:join': "files in public channels that the app isn't in",
  'chat:write.public': "messages in public channels that the app isn't in",
  'files:read': 'attachments for agents',
  'files:write': 'files in Slack, such as long answers',
  'mpim:history': 'replies in group DMs',
  'mpim:read': 'runs in group DMs',
  'reactions:read': 'automations that a reaction starts',
  'reactions:write': 'reactions to messages that a run comes from',
  'usergroups:read': 'rules that name user groups',
};

/** Returns true if the app works without this scope. Doesn't read the manifest. */
export const isOptionalScope = (scope: string): boolean => Object.hasOwn(features, scope);

export const featureOf = (scope: string): string => features[scope] ?? `what needs ${scope}`;
