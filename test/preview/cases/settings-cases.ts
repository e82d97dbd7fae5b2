import type { renderSettings, SettingsContent } from '../../../src/slack/settings/settings-view.ts';

const config = { environment_id: 'shop', model_id: 'large-2', base_prompt: 'Be brief.' };
const channelId = 'C04GENERAL1';

/** Every settings form, empty and with all values set. */
export const settingsCases: readonly [
  name: string,
  ...content: Parameters<typeof renderSettings>,
][] = [
  [
    'your notifications, nothing set',
    { scope: 'person', page: 'notifications', channelId: '', preferences: {} },
  ],
  [
    'your run defaults, nothing set',
    {
      scope: 'person',
      page: 'defaults',
      channelId: '',
      config: {},
      defaultEnvironment: { id: 'shop', origin: 'workspace setting' },
    },
  ],
  [
    'your notifications',
    {
      scope: 'person',
      page: 'notifications',
      channelId,
      preferences: { reply: 'both', quiet: { from: 22, until: 7 } },
    },
  ],
  [
    'your run defaults',
    { scope: 'person', page: 'defaults', channelId, config, startsAtOnce: true },
  ],
  [
    'channel notifications',
    {
      scope: 'channel',
      page: 'notifications',
      channelId,
      preferences: { reply: 'none', toChannel: true },
      sendsPlainReplies: true,
      digestHour: 9,
      digestZone: 'Europe/Berlin',
    },
  ],
  ['channel run defaults', { scope: 'channel', page: 'defaults', channelId, config }],
  [
    'workspace notifications',
    { scope: 'workspace', page: 'notifications', channelId, preferences: {} },
  ],
  ['workspace run defaults', { scope: 'workspace', page: 'defaults', channelId, config: {} }],
  [
    'workspace run defaults, which someone else changed meanwhile',
    { scope: 'workspace', page: 'defaults', channelId, config },
    { page: 'defaults', config: { ...config, environment_id: 'web' } },
  ],
];

/** Workspace notifications for someone who isn't an admin. */
export const settingsToRead: SettingsContent = {
  scope: 'workspace',
  page: 'notifications',
  channelId,
  preferences: { reply: 'both' },
};
