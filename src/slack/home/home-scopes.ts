/** Reads and renders the notices in Home about missing Slack scopes. */
import type { KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { grantedSentence, type MissingScopes } from '../../config/app-scopes.ts';
import type { Outbox } from '../../store/outbox/outbox.ts';
import type { GrantedScopes } from '../connection/installations/granted-scopes.ts';
import type { Installations } from '../connection/installations/installations.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import type { RunRow } from '../runs/showing/run-rows.ts';
import { section } from '../text/blocks.ts';
import { code, link } from '../text/escape-text.ts';

export type HomeScopes = {
  canPost: boolean;
  /** Scopes that are missing, for admins only. `allowUrl` is the page where admins allow them. */
  missing?: (MissingScopes & { allowUrl: string | undefined }) | undefined;
};

const postScope = 'chat:write';

/** Reads the notices about scopes. With `isWaiting`, doesn't call Slack, so that something is shown at once. */
export async function readHomeScopes(
  {
    granted,
    client,
    installations,
  }: {
    granted: Pick<GrantedScopes, 'has' | 'missing'>;
    client: Pick<WebClient, 'auth'>;
    installations: Pick<Installations, 'allowUrl'>;
  },
  { teamId, isAdmin, isWaiting }: { teamId: string; isAdmin: boolean; isWaiting: boolean },
): Promise<HomeScopes> {
  // Call Slack again for an admin, who may have just reinstalled the app. The response updates `granted`.
  if (isAdmin && !isWaiting && granted.missing().required.length > 0)
    await client.auth.test().catch(readSlackFailure);
  const canPost = granted.has(postScope);
  const missing = granted.missing();
  if (!isAdmin || missing.required.length === 0) return { canPost };
  const scopes = [...missing.required, ...missing.optional];
  return { canPost, missing: { ...missing, allowUrl: installations.allowUrl?.(teamId, scopes) } };
}

/** Returns the request IDs of rows with a run that has no message yet. */
export async function findUnposted(
  outbox: Pick<Outbox, 'find'>,
  rows: readonly RunRow[],
): Promise<ReadonlySet<string>> {
  const ids = rows.flatMap(({ ref }) => ('requestId' in ref ? [ref.requestId] : []));
  const posts = await Promise.all(ids.map((id) => outbox.find(id)));
  return new Set(ids.filter((_id, index) => posts[index]?.place === null));
}

export function renderHomeScopes({ canPost, missing }: HomeScopes): KnownBlock[] {
  if (missing) return [section(`⚠️ ${forAdmins(missing, canPost)}`)];
  return canPost ? [] : [section(cannotPost)];
}

const cannotPost =
  "⚠️ *Slack doesn't let the app post.* Ask a workspace admin to reinstall the app. Until then, select *Details* to see results.";

function forAdmins(missing: NonNullable<HomeScopes['missing']>, canPost: boolean): string {
  const names = missing.required.map((scope) => code(scope, 50)).join(', ');
  const remedy = missing.allowUrl
    ? link(missing.allowUrl, 'Allow them')
    : `Reinstall the app at ${link('https://api.slack.com/apps', 'api.slack.com/apps')}, under *Install App*. If you get a new token, give it to the app's operator.`;
  const effect = canPost ? "Some features don't" : "The app can't post, and some features don't";
  const untilThen = canPost ? '' : ' Until then, select *Details* to see results.';
  return `*${grantedSentence(missing)}.* ${effect} work without ${names}. ${remedy}${untilThen}`;
}
