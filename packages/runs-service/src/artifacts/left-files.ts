import { readableLine } from 'base/readable-text';
import { shorten } from 'base/shorten';
import { clean } from '../execution/live-progress.ts';
import type { RunContext } from '../execution/run-context.ts';

import type { ContentWriter } from './content-writer.ts';
import {
  artifactsFolder,
  type LeftOut,
  listFolder,
  type ReadFile,
  readFolder,
} from './read-folder.ts';

/** Limits for the files that an agent leaves for people. */
export type ArtifactLimits = { files: number; fileBytes: number; totalBytes: number };

const mebibyte = 1024 * 1024;

export const defaultArtifactLimits: ArtifactLimits = {
  files: 50,
  fileBytes: 100 * mebibyte,
  totalBytes: 250 * mebibyte,
};

type Options = {
  path: string;
  limits: ArtifactLimits;
  openWriter: () => ContentWriter;
  signal: AbortSignal;
};

/**
 * Reads the files that an agent left for people. Reads only through the sandbox, because the agent could have
 * manipulated the folder. Skips links and devices, and limits sizes and counts.
 */
export async function readLeftFiles(
  { toolSandbox: sandbox, folder, hidden }: Pick<RunContext, 'toolSandbox' | 'folder' | 'hidden'>,
  { path, limits, openWriter, signal }: Options,
): Promise<{ files: ReadFile[]; leftOut: LeftOut[] }> {
  const reading = { sandbox, folder, path, signal };
  const { paths, tooLarge, isCut } = await listFolder(reading, limits.fileBytes);
  const chosen = paths.slice(0, limits.files);
  const { totalBytes } = limits;
  const read =
    chosen.length > 0
      ? await readFolder(reading, chosen, { openWriter, totalBytes })
      : { files: [], leftOut: [] };
  const shown = (each: string) => shownPath(each, hidden);
  const because = (why: string) => (each: string) => ({ path: each, why });
  const leftOut = [
    ...tooLarge.map(because(`larger than ${Math.floor(limits.fileBytes / 1024 / 1024)} MiB`)),
    ...read.leftOut,
    ...paths.slice(limits.files).map(because(`a run keeps ${limits.files}`)),
    ...(isCut ? [because('too many')('others')] : []),
  ];
  return {
    files: read.files.map((file) => ({ ...file, path: shown(file.path) })),
    leftOut: leftOut.map((each) => ({ ...each, path: shown(each.path) })),
  };
}

const maxPathCharacters = 200;

/** Returns the path of an agent's file within the folder, with secrets masked. */
function shownPath(path: string, hidden: readonly string[]): string {
  const inside = path.slice(`${artifactsFolder}/`.length) || path;
  return readablePath(clean(inside, hidden));
}

/** Makes a path readable on one line, and shortens it. */
export const readablePath = (path: string): string =>
  shorten(readableLine(path), maxPathCharacters);

const maxNamed = 3;

/** Describes the files that were left out, for the run's timeline. Returns undefined if there are none. */
export function describeLeftOut(leftOut: readonly LeftOut[]): string | undefined {
  if (leftOut.length === 0) return undefined;
  const named = leftOut.slice(0, maxNamed).map(({ path, why }) => `${path} (${why})`);
  const others = leftOut.length - named.length;
  return `Didn't save ${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}
