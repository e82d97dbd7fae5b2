import { parseManifest } from '../../src/manifest.ts';

/** Manifest of an app that uses all features, for tests of the workspace. */
export const testManifest = parseManifest({
  display_information: { name: 'Test App' },
  features: {
    bot_user: { display_name: 'test-app' },
    agent_view: { agent_description: 'Tries things' },
    app_home: { home_tab_enabled: true, messages_tab_enabled: true },
    slash_commands: [
      { command: '/try', description: 'Try it', should_escape: false },
      { command: '/escaped', description: 'Try it escaped', should_escape: true },
    ],
    shortcuts: [
      { name: 'On message', type: 'message', callback_id: 'on-message', description: 'x' },
      { name: 'Anywhere', type: 'global', callback_id: 'anywhere', description: 'x' },
    ],
    unfurl_domains: ['runs.example.com'],
    rich_previews: { is_active: true, entity_types: ['slack#/entities/task'] },
  },
  oauth_config: {
    redirect_urls: ['http://127.0.0.1/slack/oauth_redirect'],
    scopes: {
      bot: [
        'app_mentions:read',
        'assistant:write',
        'channels:history',
        'channels:join',
        'channels:read',
        'chat:write',
        'commands',
        'files:read',
        'files:write',
        'groups:history',
        'groups:read',
        'im:history',
        'im:read',
        'im:write',
        'links:read',
        'links:write',
        'reactions:read',
        'reactions:write',
        'team:read',
        'usergroups:read',
        'users:read',
        'users:read.email',
      ],
    },
  },
  functions: {
    'run-agent': {
      title: 'Run agent',
      description: 'Starts a run',
      input_parameters: { prompt: { type: 'string', title: 'Prompt', is_required: true } },
      output_parameters: { run: { type: 'string', title: 'Run', is_required: true } },
    },
  },
  settings: {
    event_subscriptions: {
      bot_events: [
        'agent_session_stopped',
        'app_context_changed',
        'app_home_opened',
        'app_mention',
        'app_uninstalled',
        'entity_details_requested',
        'function_executed',
        'link_shared',
        'member_joined_channel',
        'member_left_channel',
        'message.channels',
        'message.groups',
        'message.im',
        'reaction_added',
        'reaction_removed',
        'tokens_revoked',
      ],
    },
    interactivity: { is_enabled: true },
    org_deploy_enabled: true,
    function_runtime: 'remote',
    socket_mode_enabled: true,
  },
});

/** The same app without workflow steps, so that every workspace can install it. */
export const distributedManifest = { ...testManifest, functions: {} };
