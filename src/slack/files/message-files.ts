/** Chooses which files of Slack messages are sent to the agent. */

import { readableLine } from 'base/readable-text';
import { shownText } from 'base/secrets/mask-secrets';
import { maxAttachments } from 'runs-client/attachment';
import { z } from 'zod';
import type { RequestFile } from '../../requests/origin.ts';
import { escapeText } from '../text/escape-text.ts';
import type { SlackMessage } from '../text/message-text.ts';

const mebibyte = 1024 * 1024;
/**
 * Max bytes of one file and of all files. The embedded runs service accepts 10 MiB per run. The public one documents no
 * limit.
 */
export const fileLimits = { bytes: 5 * mebibyte, allBytes: 10 * mebibyte } as const;

export type ChosenFiles = {
  files: RequestFile[];
  /** Sentences in plain text about files that aren't sent. */
  left: string[];
};

/** Fields of Slack's file object that decide if a file is sent: https://docs.slack.dev/reference/objects/file-object */
const slackFileSchema = z.object({
  id: z.string(),
  name: z.string().nullish(),
  title: z.string().nullish(),
  mimetype: z.string().nullish(),
  size: z.number().nullish(),
  mode: z.string().nullish(),
  is_external: z.boolean().nullish(),
});

/** Max characters of a file name. Longer names lose their beginning, because the end has the extension. */
const nameLimit = 60;
export const fileName = (original: string): string => {
  const points = [...readableLine(shownText(original))];
  return points.length > nameLimit
    ? `…${points.slice(1 - nameLimit).join('')}`
    : points.join('') || 'file';
};

/** Chooses files in the order of the messages. `before` are files that were chosen earlier. */
export function chooseFiles(
  messages: readonly Pick<SlackMessage, 'files'>[],
  before: readonly RequestFile[] = [],
): ChosenFiles {
  const files: RequestFile[] = [];
  const left: string[] = [];
  for (const candidate of messages.flatMap((message) => message.files ?? [])) {
    const { data } = slackFileSchema.safeParse(candidate);
    // Skip files without content. Slack lists deleted files as `tombstone`, and those that a free plan hides as
    // `hidden_by_limit`.
    if (!data || data.mode === 'tombstone' || data.mode === 'hidden_by_limit') continue;
    const chosen = [...before, ...files];
    if (chosen.some(({ id }) => id === data.id)) continue;
    const file = {
      id: data.id,
      name: fileName(data.name ?? data.title ?? ''),
      mimeType: data.mimetype || 'application/octet-stream',
      bytes: data.size ?? 0,
    };
    const problem = data.is_external ? 'is stored outside Slack' : whyNot(file, chosen);
    if (problem) left.push(`${file.name} ${problem}.`);
    else files.push(file);
  }
  return { files, left };
}

/**
 * Returns why a file can't be sent. The text completes a sentence that starts with the file name. Returns undefined if
 * the file can be sent.
 */
export function whyNot(
  { bytes }: Pick<RequestFile, 'bytes'>,
  chosen: readonly Pick<RequestFile, 'bytes'>[],
): string | undefined {
  if (bytes > fileLimits.bytes)
    return `is too large (${sizeText(bytes)}, the limit is ${sizeText(fileLimits.bytes)})`;
  if (chosen.length >= maxAttachments)
    return `isn't sent, because the limit is ${maxAttachments} files`;
  const all = chosen.reduce((sum, each) => sum + each.bytes, bytes);
  return all > fileLimits.allBytes
    ? `isn't sent, because the limit for all files is ${sizeText(fileLimits.allBytes)}`
    : undefined;
}

export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < mebibyte) return `${Math.round(bytes / 1024)} KB`;
  return `${Number((bytes / mebibyte).toFixed(1))} MB`;
}

export const countFiles = (count: number): string => `${count} ${count === 1 ? 'file' : 'files'}`;

/** Returns text such as "2 files (1.3 MB)". */
export const describeFiles = (files: readonly RequestFile[]): string =>
  `${countFiles(files.length)} (${sizeText(files.reduce((sum, { bytes }) => sum + bytes, 0))})`;

/** Returns a notice in mrkdwn, or an empty list if all files are sent. */
export const filesLeftNotice = ({ left }: Pick<ChosenFiles, 'left'>): string[] =>
  left.length > 0 ? [`⚠️ ${escapeText(left.join(' '), 600)}`] : [];
