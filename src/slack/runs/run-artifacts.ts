import type { SectionBlock } from '@slack/types';
import type { Run } from 'runs-client/contract';
import { z } from 'zod';
import { code, escapeText, link, section } from '../text/blocks.ts';
import type { ListedLink } from '../text/rich-text.ts';

/** In the order of what people look for. */
const words: Record<string, string> = {
  PULL_REQUEST: 'Pull request',
  PLAN: 'Plan',
  EXTERNAL_REFERENCE: 'Reference',
  SCREENSHOT: 'Screenshot',
  FILE: 'File',
};
const order = Object.keys(words);

const text = z.string().optional().catch(undefined);
const dataSchema = z
  .object({ url: text, branch: text, title: text, name: text, filename: text, document_uid: text })
  .catch({});

const artifactsShown = 3;

/** Pull requests first, in mrkdwn: a run message has no rich text. */
export function renderArtifacts(run: Run | null): SectionBlock[] {
  const artifacts = listArtifacts(run, artifactsShown);
  if (artifacts.length === 0) return [];
  const lines = artifacts.map(
    ({ word, label, url }) =>
      `•  ${escapeText(word, 100)}: ${link(url, label) || code(label, labelLimit)}`,
  );
  const more = (run?.artifacts?.length ?? 0) - artifacts.length;
  return [section([...lines, ...(more > 0 ? [`… ${more} more in Details`] : [])].join('\n'))];
}

const labelLimit = 100;

/** Pull requests first; unknown kinds come last, under their own name. */
export function listArtifacts(run: Run | null, atMost: number): ListedLink[] {
  return [...(run?.artifacts ?? [])]
    .sort((a, b) => rankOf(a.artifact_type) - rankOf(b.artifact_type))
    .slice(0, atMost)
    .map(({ artifact_type: type, data }) => {
      const read = dataSchema.parse(data ?? {});
      const word = Object.hasOwn(words, type) ? words[type] : type;
      return { word: word || 'Artifact', label: labelOf(read), url: read.url };
    });
}

const rankOf = (type: string) => (order.includes(type) ? order.indexOf(type) : order.length);

/** `https://github.com/acme/shop/pull/12` reads best as `acme/shop#12`. */
const pullRequestPath = /^\/([^/]+\/[^/]+)\/(?:pull|-\/merge_requests)\/(\d+)\/?$/;

function labelOf(data: z.infer<typeof dataSchema>): string {
  const { pathname, host } = data.url && URL.canParse(data.url) ? new URL(data.url) : {};
  const pullRequest = pathname?.match(pullRequestPath);
  const number = pullRequest && `${pullRequest[1]}#${pullRequest[2]}`;
  const name = data.title ?? number ?? data.name ?? data.filename ?? data.document_uid;
  const branch = data.branch && ` (${data.branch})`;
  return `${name ?? (pathname && host ? host + pathname : '')}${branch ?? ''}`;
}
