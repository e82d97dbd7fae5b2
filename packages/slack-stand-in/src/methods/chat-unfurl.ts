import { findPreviewProblems, readPreviews } from '../entities/entity-schema.ts';
import { isObject, type JsonObject } from '../lib/json.ts';
import type { AppManifest } from '../manifest.ts';
import { linksOf } from '../payloads/message-event.ts';
import type { ComposerPreviews } from '../people/composer-previews.ts';
import { ApiError } from '../web-api/api-error.ts';
import { argument, defineMethod, type Method } from '../web-api/method.ts';
import { findChannel, findMessage } from '../world/directory.ts';
import { readContent, rejectProblems } from '../world/message-content.ts';
import type { MessageLog } from '../world/message-log.ts';
import type { Message, World } from '../world/world.ts';

/** Creates the method that adds link previews to a message. The message isn't marked as edited. */
export function createUnfurlMethods(deps: {
  world: World;
  log: MessageLog;
  manifest: AppManifest;
  unfurlDomains: readonly string[];
  composerPreviews: ComposerPreviews;
}): Method[] {
  const { world, log, unfurlDomains, composerPreviews } = deps;
  return [
    defineMethod({
      name: 'chat.unfurl',
      tier: 3,
      scopes: ['links:write'],
      errors: [
        'cannot_find_message',
        'cannot_unfurl_url',
        'invalid_unfurl_id',
        'missing_unfurls',
        'cannot_parse_attachment',
        'invalid_metadata_format',
      ],
      args: {
        channel: argument.text.optional(),
        ts: argument.text.optional(),
        unfurl_id: argument.text.optional(),
        source: argument.text.optional(),
        unfurls: argument.object.optional(),
        metadata: argument.object.optional(),
        user_auth_required: argument.flag.optional(),
        user_auth_message: argument.text.optional(),
        user_auth_url: argument.text.optional(),
      },
      wrong: { unfurls: 'invalid_unfurls_format' },
      run: (args, { installation: { botId } }) => {
        const { channel, ts, unfurl_id: id, unfurls, metadata } = args;
        // Reject `unfurls` together with `metadata`. The documentation requires one of them, and doesn't say which
        // one Slack uses if both are set.
        if (unfurls && metadata) throw new ApiError('invalid_arguments');
        if (metadata) {
          rejectProblems(findPreviewProblems(metadata));
          if (!arePreviewsOn(deps.manifest)) return silentlyDropped;
        }
        const ownUnfurl = { is_app_unfurl: true, bot_id: botId, app_id: world.app.id };
        const draft = composerPreviews.find(id);
        const message = draft
          ? undefined
          : messageOf(world, id ? readUnfurlId(id) : { channel, ts });
        const links = draft?.links ?? linksOf(message ?? { text: '' }, unfurlDomains);
        const posted = new Set(links.map(({ url }) => url));
        const previews = Object.entries(unfurls ?? entitiesByUrl(metadata)).map(
          ([url, preview]): JsonObject => {
            if (!posted.has(url)) throw new ApiError('cannot_unfurl_url');
            if (!isObject(preview)) throw new ApiError('cannot_parse_attachment');
            return { ...preview, ...ownUnfurl, app_unfurl_url: url };
          },
        );
        if (previews.length === 0) throw new ApiError('missing_unfurls');
        const content = readAttachments(previews);
        if (draft) draft.attachments = content;
        if (message) void log.preview(message, content);
        return {};
      },
    }),
  ];
}

/** Converts entities to attachments, by URL. Slack doesn't document its own format for stored entities. */
const entitiesByUrl = (metadata: JsonObject | undefined): JsonObject =>
  Object.fromEntries(
    (metadata ? readPreviews(metadata) : []).map((entity) => {
      const { title } = entity.entity_payload.attributes;
      return [entity.app_unfurl_url, { entity, fallback: title.text }];
    }),
  );

const arePreviewsOn = ({ features: { rich_previews: previews } }: AppManifest): boolean =>
  previews?.is_active === true && previews.entity_types.includes('slack#/entities/task');

/**
 * Response for entities that the app's manifest doesn't declare. Developers reported that Slack returns `ok` and shows
 * nothing.
 */
const silentlyDropped = {
  warning: 'invalid_metadata_format',
  response_metadata: { warnings: ['invalid_metadata_format'] },
};

function readAttachments(previews: JsonObject[]): JsonObject[] {
  try {
    return readContent({ attachments: previews }, 'chat.postMessage').attachments ?? [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError('cannot_parse_attachment', error.details);
  }
}

/** Parses this stand-in's unfurl IDs, `C-<channel>-<ts>`. */
function readUnfurlId(id: string) {
  const [, channel, ts] = /^C-([A-Z0-9]+)-([\d.]+)$/.exec(id) ?? [];
  if (!channel || !ts) throw new ApiError('invalid_unfurl_id');
  return { channel, ts };
}

function messageOf(
  world: World,
  at: { channel?: string | undefined; ts?: string | undefined },
): Message {
  const channel = findChannel(world, at.channel);
  const message = channel && findMessage(world, channel.id, at.ts ?? '');
  if (!message) throw new ApiError('cannot_find_message');
  return message;
}
