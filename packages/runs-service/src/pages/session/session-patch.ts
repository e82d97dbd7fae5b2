import { type FileHandle, open } from 'node:fs/promises';
import { createMask } from 'base/secrets/mask-secrets';
import type { RunFiles } from '../../execution/files/run-files.ts';

export type SessionPatch = {
  /** The first part, in whole lines, masked. */
  text: string;
  /** How many secrets are masked in `text`. */
  masked: number;
  /** Of the whole file. */
  bytes: number;
  /** Whether the file has more than `text`. */
  isLonger: boolean;
  /** Whether only a part of the changes was saved. */
  isIncomplete: boolean;
};

/** More than a page shows. A patch can have 50 MiB. */
const maxBytes = 1024 * 1024;

export async function readSessionPatch(files: RunFiles, runId: string): Promise<SessionPatch> {
  const incomplete = await readStart(files.incompletePatchFile(runId));
  const read = incomplete ?? (await readStart(files.patchFile(runId)));
  const { text, bytes, isLonger } = read ?? { text: '', bytes: 0, isLonger: false };
  const mask = createMask(0, { keepsLines: true });
  const shown = mask(text);
  const isIncomplete = incomplete !== undefined;
  return { text: shown, masked: mask.count(), bytes, isLonger, isIncomplete };
}

async function readStart(path: string) {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch {
    return undefined;
  }
  try {
    const { size } = await file.stat();
    const length = Math.min(size, maxBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    const read = buffer.subarray(0, bytesRead);
    const isLonger = size > length;
    const shown = isLonger ? read.subarray(0, read.lastIndexOf(0x0a) + 1) : read;
    return { text: shown.toString('utf8'), bytes: size, isLonger };
  } finally {
    await file.close();
  }
}
