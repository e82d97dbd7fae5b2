import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

const address = z.url({ protocol: /^https?$/ });

const command = z.looseObject({
  command: z.string().regex(/^\/\S{1,31}$/),
  description: z.string().max(2000),
  usage_hint: z.string().max(1000).optional(),
  should_escape: z.boolean().default(false),
  url: address.optional(),
});

const shortcut = z.looseObject({
  name: z.string().min(1).max(24),
  type: z.enum(['global', 'message']),
  callback_id: z.string().min(1).max(255),
  description: z.string().max(150),
});

const agentView = z.looseObject({
  agent_description: z.string().max(300).optional(),
  suggested_prompts: z
    .array(z.strictObject({ title: z.string(), message: z.string() }))
    .max(4)
    .default([]),
});

const parameter = z.looseObject({
  type: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  is_required: z.boolean().optional(),
});

const workflowStep = z.looseObject({
  title: z.string(),
  description: z.string().default(''),
  input_parameters: z.record(z.string(), parameter).default({}),
  output_parameters: z.record(z.string(), parameter).default({}),
});

/** Schema of Slack's app manifest, with the fields that the stand-in reads. Other fields are ignored. */
const anyManifestSchema = z.looseObject({
  display_information: z.looseObject({
    name: z.string().min(1).max(35),
    description: z.string().max(140).optional(),
  }),
  features: z
    .looseObject({
      bot_user: z.looseObject({ display_name: z.string().min(1).max(80) }).optional(),
      app_home: z
        .looseObject({
          home_tab_enabled: z.boolean().default(false),
          messages_tab_enabled: z.boolean().default(true),
          messages_tab_read_only_enabled: z.boolean().default(false),
        })
        .optional(),
      agent_view: agentView.optional(),
      slash_commands: z.array(command).max(50).default([]),
      shortcuts: z.array(shortcut).max(10).default([]),
      unfurl_domains: z.array(z.string()).default([]),
      /** Settings for work objects (entities) in link previews. */
      rich_previews: z
        .looseObject({
          is_active: z.boolean(),
          entity_types: z.array(z.string().startsWith('slack#/entities/')).default([]),
        })
        .optional(),
    })
    .prefault({}),
  oauth_config: z
    .looseObject({
      redirect_urls: z.array(z.string()).default([]),
      scopes: z
        .looseObject({
          bot: z.array(z.string()).max(255).default([]),
          /** Scopes in `bot` that people may leave out when they install the app. */
          bot_optional: z.array(z.string()).max(255).default([]),
          user: z.array(z.string()).max(255).default([]),
        })
        .prefault({}),
    })
    .prefault({}),
  settings: z
    .looseObject({
      event_subscriptions: z
        .looseObject({
          request_url: address.optional(),
          bot_events: z.array(z.string()).max(100).default([]),
        })
        .prefault({}),
      interactivity: z
        .looseObject({ is_enabled: z.boolean(), request_url: address.optional() })
        .optional(),
      socket_mode_enabled: z.boolean().optional(),
      org_deploy_enabled: z.boolean().default(false),
      function_runtime: z.enum(['remote', 'slack']).optional(),
      token_rotation_enabled: z.boolean().default(false),
    })
    .prefault({}),
  functions: z.record(z.string(), workflowStep).default({}),
});

type Problem = { path: (string | number)[]; message: string };

/** Finds missing request URLs. An app without Socket Mode needs them. */
function missingUrls({ features, settings }: z.infer<typeof anyManifestSchema>): Problem[] {
  if (settings.socket_mode_enabled !== false) return [];
  const { event_subscriptions: events, interactivity } = settings;
  const missing = [
    ...features.slash_commands.flatMap(({ url }, index) =>
      url ? [] : [['features', 'slash_commands', index, 'url']],
    ),
    ...(events.bot_events.length === 0 || events.request_url
      ? []
      : [['settings', 'event_subscriptions', 'request_url']]),
    ...(!interactivity?.is_enabled || interactivity.request_url
      ? []
      : [['settings', 'interactivity', 'request_url']]),
  ];
  return missing.map((path) => ({ path, message: 'is required without Socket Mode' }));
}

/** Finds optional scopes that `bot` doesn't list: https://docs.slack.dev/reference/app-manifest#oauth */
function optionalOnly({ oauth_config: { scopes } }: z.infer<typeof anyManifestSchema>): Problem[] {
  return scopes.bot_optional
    .filter((scope) => !scopes.bot.includes(scope))
    .map((scope) => ({
      path: ['oauth_config', 'scopes', 'bot_optional'],
      message: `${scope} must also be in bot`,
    }));
}

/**
 * Finds missing settings that steps for Workflow Builder require. Steps run outside of Slack, and their app must
 * support whole organizations.
 */
function stepSettings({ functions, settings }: z.infer<typeof anyManifestSchema>): Problem[] {
  if (Object.keys(functions).length === 0) return [];
  return [
    ...(settings.function_runtime === 'remote' ? [] : ['function_runtime']),
    ...(settings.org_deploy_enabled ? [] : ['org_deploy_enabled']),
  ].map((name) => ({ path: ['settings', name], message: 'is required for functions' }));
}

const manifestSchema = anyManifestSchema.superRefine((manifest, context) => {
  const checks = [missingUrls, optionalOnly, stepSettings];
  for (const problem of checks.flatMap((check) => check(manifest)))
    context.addIssue({ code: 'custom', ...problem });
});

export type AppManifest = z.infer<typeof manifestSchema>;
export type WorkflowStep = z.infer<typeof workflowStep>;

/** Parses a manifest. Throws a ZodError that names all wrong fields. */
export function parseManifest(manifest: unknown): AppManifest {
  return manifestSchema.parse(manifest);
}

/** Reads a manifest file, YAML or JSON. Throws if Slack would reject it. */
export function readManifest(file: string): AppManifest {
  const result = manifestSchema.safeParse(parse(readFileSync(file, 'utf8')));
  if (result.success) return result.data;
  throw new Error(`${file} is not a valid app manifest: ${z.prettifyError(result.error)}`);
}
