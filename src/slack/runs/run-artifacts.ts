import type { KnownBlock } from '@slack/types';
import type { Run } from 'runs-client/contract';
import { z } from 'zod';
import { type ListedLink, linkList } from '../text/rich-text.ts';

/** What a person looks for comes first. */
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

const artifactsShown = 8;

/** What the run has made: pull requests first, the first few of many. */
export function renderArtifacts(run: Run | null): KnownBlock[] {
  const artifacts = listArtifacts(run, artifactsShown);
  if (artifacts.length === 0) return [];
  const more = (run?.artifacts?.length ?? 0) - artifacts.length;
  return [linkList(artifacts, more > 0 ? `… and ${more} more: see Details` : undefined)];
}

/** Pull requests first; kinds that nobody knows come last under their own name. */
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
