import type { SectionBlock } from '@slack/types';
import { shownText } from 'base/secrets/mask-secrets';
import type { Run } from 'runs-client/contract';
import { z } from 'zod';
import { section } from '../../text/blocks.ts';
import { code, escapeText, link, safeUrl, shorten } from '../../text/escape-text.ts';
import type { ListedLink } from '../../text/rich-text.ts';

type Artifact = NonNullable<Run['artifacts']>[number];

/** Names of artifact types, in the order in which artifacts are shown. */
const words: Record<string, string> = {
  PLAN: 'Plan',
  EXTERNAL_REFERENCE: 'Reference',
  SCREENSHOT: 'Screenshot',
  FILE: 'File',
};
const order = Object.keys(words);

const text = z.string().optional().catch(undefined);
const dataSchema = z
  .object({
    url: text,
    title: text,
    name: text,
    filename: text,
    description: text,
    document_uid: text,
  })
  .catch({});

/** Types whose artifacts link to the session, because their own addresses expire. */
const inSession = ['FILE', 'SCREENSHOT'];

const artifactsShown = 3;

/**
 * Renders artifacts in mrkdwn, because a run message has no rich text. Leaves out a plan of the agent, which has its
 * own block.
 */
export function renderArtifacts(run: Run | null): SectionBlock[] {
  const hasPlan = (run?.agent_progress?.plan ?? []).length > 0;
  const { listed, left } = listArtifacts(run, artifactsShown, { isPlanShown: hasPlan });
  if (listed.length === 0) return [];
  const lines = listed.map(
    ({ word, label, url }) =>
      `•  ${escapeText(word, 100)}: ${link(url, label) || code(label, labelLimit)}`,
  );
  return [section([...lines, ...(left > 0 ? [`… ${left} more in Details`] : [])].join('\n'))];
}

/** Finds the artifact with all changes, for *View changes*. */
export function patchOf(run: Run | null): { uid: string } | undefined {
  const found = (run?.artifacts ?? []).find(isPatch);
  const uid = found?.data?.['artifact_uid'];
  return typeof uid === 'string' && uid !== '' ? { uid } : undefined;
}

/** Finds the newest plan, for *View plan*. */
export function planOf(run: Run | null): { uid: string } | undefined {
  const plans = (run?.artifacts ?? []).filter(({ artifact_type: type }) => type === 'PLAN');
  const data = plans.at(-1)?.data;
  const uid = data?.['artifact_uid'] ?? data?.['document_uid'];
  return typeof uid === 'string' && uid !== '' ? { uid } : undefined;
}

const isPatch = ({ artifact_type: type, data }: Artifact): boolean =>
  type === 'FILE' && data?.['filename'] === 'changes.patch' && data['mime_type'] === 'text/x-diff';

const labelLimit = 100;

/**
 * Lists artifacts, except for pull requests and the patch, which are shown elsewhere. Unknown types come last, with
 * their own name. `left` counts the ones that aren't listed.
 */
export function listArtifacts(
  run: Run | null,
  most: number,
  { isPlanShown = false } = {},
): { listed: ListedLink[]; left: number } {
  const all = (run?.artifacts ?? [])
    .filter((each) => each.artifact_type !== 'PULL_REQUEST' && !isPatch(each))
    .filter((each) => !(isPlanShown && isPlanWithoutLink(each)))
    .sort((a, b) => rankOf(a.artifact_type) - rankOf(b.artifact_type));
  // Cut the list before masking it, because masking takes most of the time.
  const listed = all.slice(0, most).map(({ artifact_type: type, data }) => {
    const read = dataSchema.parse(data ?? {});
    const word = Object.hasOwn(words, type) ? words[type] : type;
    const session = inSession.includes(type) ? (run?.session_link ?? undefined) : undefined;
    const label = shownText(labelOf(read));
    return { word: word || 'Artifact', label, url: read.url ?? session };
  });
  return { listed, left: all.length - listed.length };
}

const isPlanWithoutLink = ({ artifact_type: type, data }: Artifact): boolean =>
  type === 'PLAN' && !dataSchema.parse(data ?? {}).url;

const rankOf = (type: string) => (order.includes(type) ? order.indexOf(type) : order.length);

const nameLimit = 60;

/** Adds the host to the name of a link, because an agent can choose any name. */
function labelOf(data: z.infer<typeof dataSchema>): string {
  const { url, title, name, filename, description, document_uid } = data;
  const chosenName = title ?? name ?? filename ?? description ?? document_uid;
  const address = safeUrl(url);
  if (!address) return chosenName ?? '';
  const { pathname, host } = new URL(address);
  return chosenName === undefined ? host + pathname : `${shorten(chosenName, nameLimit)} (${host})`;
}
