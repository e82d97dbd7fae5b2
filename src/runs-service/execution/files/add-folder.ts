import { mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';

/**
 * Adds a folder with files to a run's work folder. They're written outside of it and then moved: an agent that runs could
 * replace a folder or file that it sees with a link, through which the service would write behind the wall.
 * @returns its path
 */
export async function addFolder(
  workDir: string,
  name: string,
  write: (folder: string) => Promise<void>,
): Promise<string> {
  const hidden = await mkdtemp(`${workDir}.${name}-`);
  try {
    await write(hidden);
    const folder = join(workDir, basename(hidden).slice(basename(workDir).length + 1));
    await rename(hidden, folder);
    return folder;
  } finally {
    await rm(hidden, { recursive: true, force: true });
  }
}
