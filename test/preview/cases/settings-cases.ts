import type { renderSettings, SettingsContent } from '../../../src/slack/settings/settings-view.ts';

const config = { environment_id: 'shop', model_id: 'large-2', base_prompt: 'Be brief.' };
const channelId = 'C04GENERAL1';

/** The settings of every scope, with nothing and with everything set. */
export const settingsCases: readonly [
  name: string,
  ...content: Parameters<typeof renderSettings>,
][] = [
  ['yours, nothing set', { scope: 'person', channelId: '', config: {}, preferences: {} }],
  [
    'yours',
    {
      scope: 'person',
      channelId,
      config,
      preferences: { reply: 'both', quiet: { from: 22, until: 7 } },
      startsAtOnce: true,
    },
  ],
  [
    'channel',
    {
      scope: 'channel',
      channelId,
      config,
      preferences: { reply: 'none', toChannel: true },
      repliesCount: true,
      digestHour: 9,
      digestZone: 'Europe/Berlin',
    },
  ],
  [
    'workspace',
    {
      scope: 'workspace',
      channelId,
      config: {},
      preferences: {},
      policy: { ruleCount: 2, isFromFile: false },
    },
  ],
  [
    'workspace, which someone else changed meanwhile',
    { scope: 'workspace', channelId, config, preferences: {} },
    { ...config, environment_id: 'web' },
  ],
];

/** Of the workspace, for someone who isn't an admin. */
export const settingsToRead: SettingsContent = {
  scope: 'workspace',
  channelId,
  config,
  preferences: { reply: 'both' },
};
