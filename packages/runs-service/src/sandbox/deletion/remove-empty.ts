import { rmdir } from 'node:fs/promises';

/**
 * Removes a folder of an agent if it's empty. That needs no command behind the wall: it works by the folder's name,
 * without opening anything or following a link. The wall deals with everything else.
 */
export const removeEmpty = (folder: string): Promise<boolean> =>
  rmdir(folder).then(
    () => true,
    () => false,
  );
