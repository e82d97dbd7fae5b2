import { ApiError } from '../web-api/api-error.ts';
import { argument, defineMethod, type Method } from '../web-api/method.ts';
import type { Files } from '../world/files.ts';
import type { Installation, SharedFile, World } from '../world/world.ts';

type Parts = { world: World; files: Files };

/** Files that people or the app have shared. */
export function createFileMethods({ world, files }: Parts): Method[] {
  /** Files in conversations that the app can't see don't exist for it. */
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
