import type { JsonObject } from '../lib/json.ts';
import type { SharedFile } from '../world/world.ts';

/** Returns a shared file in the format of Slack's file object: https://docs.slack.dev/reference/objects/file-object */
export function filePayload(file: SharedFile, baseUrl: string): JsonObject {
  const { id, teamId, name, title, mimeType, userId, createdSeconds, bytes, shares } = file;
  if (file.isDeleted) return { id, mode: 'tombstone' };
  const path = `${baseUrl}/files-pri/${teamId}-${id}`;
  const sharedIn = [...new Set(shares.map(({ channelId }) => channelId))];
  return {
    id,
    created: createdSeconds,
    timestamp: createdSeconds,
    name,
    title,
    mimetype: mimeType,
    filetype: name.split('.').at(-1) ?? 'binary',
    pretty_type: mimeType,
    user: userId,
    editable: false,
    size: bytes,
    mode: 'hosted',
    is_external: false,
    external_type: '',
    is_public: true,
    public_url_shared: false,
    display_as_bot: false,
    username: '',
    url_private: `${path}/${encodeURIComponent(name)}`,
    url_private_download: `${path}/download/${encodeURIComponent(name)}`,
    permalink: `${baseUrl}/files/${userId}/${id}/${encodeURIComponent(name)}`,
    has_rich_preview: false,
    channels: sharedIn,
    groups: [],
    ims: [],
    shares: {
      public: Object.fromEntries(
        sharedIn.map((channelId) => [
          channelId,
          shares
            .filter((share) => share.channelId === channelId)
            .map(({ ts, threadTs }) => ({ ts, ...(threadTs && { thread_ts: threadTs }) })),
        ]),
      ),
    },
  };
}
