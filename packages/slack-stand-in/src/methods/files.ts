import { ApiError } from '../web-api/api-error.ts';
import { argument, defineMethod, type Method } from '../web-api/method.ts';
import { channelForApp, findMessage } from '../world/directory.ts';
import type { Files } from '../world/files.ts';
import type { MessageLog } from '../world/message-log.ts';
import type { Installation, SharedFile, World } from '../world/world.ts';

/** Creates the methods for files that people or the app have shared. */
export function createFileMethods({ world, files }: { world: World; files: Files }): Method[] {
  /**
   * Returns a file that the app owns, or that was shared in one of the app's conversations. Otherwise fails with
   * `file_not_found`.
   */
  function visible(installation: Installation, id: string): SharedFile {
    const file = files.find(id, installation.teamId);
    const isOwn = file?.userId === installation.botUserId;
    const isSeen = file?.shares.some(({ channelId }) =>
      world.channels.some(
        (each) => each.id === channelId && each.memberIds.includes(installation.botUserId),
      ),
    );
    if (!file || !(isOwn || isSeen)) throw new ApiError('file_not_found');
    if (file.isDeleted) throw new ApiError('file_deleted');
    return file;
  }

  return [
    defineMethod({
      name: 'files.info',
      tier: 4,
      scopes: ['files:read'],
      errors: ['file_not_found', 'file_deleted'],
      args: {
        file: argument.id,
        count: argument.count.optional(),
        cursor: argument.text.optional(),
        limit: argument.count.optional(),
        page: argument.count.optional(),
      },
      wrong: { file: 'file_not_found' },
      run: ({ file }, { installation }) => ({
        file: files.payload(visible(installation, file)),
        comments: [],
      }),
    }),
    defineMethod({
      name: 'files.delete',
      tier: 3,
      scopes: ['files:write'],
      errors: ['cant_delete_file', 'file_not_found', 'file_deleted'],
      args: { file: argument.id },
      wrong: { file: 'file_not_found' },
      run: ({ file: id }, { installation }) => {
        const file = visible(installation, id);
        if (file.userId !== installation.botUserId) throw new ApiError('cant_delete_file');
        files.remove(file);
        return {};
      },
    }),
  ];
}

/**
 * Creates the methods for the first and the last step of an upload. The second step is in `world/files.ts`. The method
 * `files.upload` is missing, because Slack has retired it.
 */
export function createUploadMethods({
  world,
  log,
  files,
}: {
  world: World;
  log: MessageLog;
  files: Files;
}): Method[] {
  return [
    defineMethod({
      name: 'files.getUploadURLExternal',
      tier: 4,
      scopes: ['files:write'],
      errors: ['missing_argument', 'alt_txt_too_large'],
      args: {
        filename: argument.id,
        length: argument.count,
        snippet_type: argument.text.optional(),
        alt_txt: argument.text.optional(),
      },
      wrong: { length: 'missing_argument', filename: 'missing_argument' },
      run: ({ filename, length, alt_txt: altText = '' }, { installation }) => {
        if (length < 1) throw new ApiError('missing_argument');
        if (altText.length > 1_000) throw new ApiError('alt_txt_too_large');
        const file = files.reserve(installation.teamId, installation.botUserId, filename, length);
        return { file_id: file.id, upload_url: files.uploadUrl(file) };
      },
    }),
    defineMethod({
      name: 'files.completeUploadExternal',
      tier: 4,
      scopes: ['files:write'],
      errors: ['file_not_found', 'access_denied', 'channel_not_found', 'not_in_channel'],
      args: {
        files: argument.objects,
        channel_id: argument.text.optional(),
        channels: argument.text.optional(),
        thread_ts: argument.text.optional(),
        initial_comment: argument.text.optional(),
        blocks: argument.text.optional(),
        username: argument.text.optional(),
        icon_url: argument.text.optional(),
        icon_emoji: argument.text.optional(),
      },
      wrong: { files: 'file_not_found' },
      run: (args, { installation }) => {
        const uploaded = args.files.map(({ id, title }) => {
          const file = files.find(String(id), installation.teamId);
          if (!file?.ticket || file.base64 === undefined) throw new ApiError('file_not_found');
          return { file, title: typeof title === 'string' ? title : file.name };
        });
        const shown = () => uploaded.map(({ file: { id }, title }) => ({ id, title }));
        const { channel_id: channelId, thread_ts: threadTs } = args;
        if (channelId === undefined) return { files: shown() };
        const channel = channelForApp(world, installation, channelId);
        if (!channel.memberIds.includes(installation.botUserId))
          throw new ApiError('not_in_channel');
        for (const { file, title } of uploaded) Object.assign(file, { title, ticket: undefined });
        const parent = findMessage(world, channel.id, threadTs ?? '');
        const { message } = log.post({
          channelId: channel.id,
          userId: installation.botUserId,
          botId: installation.botId,
          appId: world.app.id,
          text: args.initial_comment ?? '',
          subtype: 'file_share',
          files: uploaded.map(({ file }) => files.payload(file)),
          ...(threadTs && { threadTs: parent?.threadTs ?? threadTs }),
        });
        const share = { channelId: channel.id, ts: message.ts, threadTs: message.threadTs };
        for (const { file } of uploaded) files.share(file, share);
        return { files: shown() };
      },
    }),
  ];
}
