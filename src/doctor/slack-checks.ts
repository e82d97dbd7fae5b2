import { z } from 'zod';
import { type AppScopes, grantedSentence, missingScopes } from '../config/app-scopes.ts';
import type { BotConfig } from '../config/bot-config.ts';
import { featureOf } from '../config/scope-features.ts';
import { isWorkspaceId } from '../store/workspace-id.ts';
import type { Finding } from './problems.ts';

const answerSchema = z.looseObject({
  ok: z.boolean(),
  error: z.string().optional(),
  team_id: z.string().optional(),
  is_enterprise_install: z.boolean().optional(),
  teams: z.array(z.looseObject({ id: z.string() })).optional(),
});

const callTimeoutMs = 6_000;
/**
 * Max difference between this clock and Slack's, in ms. The app compares its time with the times of deliveries and
 * messages.
 */
const maxSkewMs = 30_000;

type SlackCheckDeps = {
  slack: BotConfig['slack'];
  /** Public address of the bot, if there is one. */
  publicUrl: string | undefined;
  /** Scopes that the manifest requests. */
  scopes: AppScopes;
  now: () => number;
  signal?: AbortSignal | undefined;
};

/** Problems with Slack. `teamId` is the workspace of the bot token. */
type SlackCheckResult = { findings: Finding[]; teamId?: string | undefined };

export async function checkSlack({
  slack,
  publicUrl,
  scopes,
  now,
  signal,
}: SlackCheckDeps): Promise<SlackCheckResult> {
  const { apiUrl, botToken, delivery } = slack;
  // Without a bot token, call a method that needs none. With OAuth, each workspace has its own token.
  const method = botToken === undefined ? 'api.test' : 'auth.test';
  const test = await call(apiUrl, method, { token: botToken, signal });
  if ('finding' in test) return { findings: [test.finding] };
  const { body, headers } = test;
  const findings: Finding[] = [];
  const skewMs = Math.abs(now() - Date.parse(headers.get('date') ?? ''));
  if (skewMs > maxSkewMs)
    findings.push({
      problem: 'clock-wrong',
      detail: `It differs from Slack's by ${Math.round(skewMs / 1_000)} s.`,
    });
  if (!body.ok)
    findings.push({ problem: 'bot-token-rejected', detail: `Slack says ${body.error}.` });
  else if (botToken !== undefined) {
    findings.push(...checkScopes(headers, scopes));
    if (body.is_enterprise_install)
      findings.push(...(await checkTeams(apiUrl, { token: botToken, signal })));
  }
  if (delivery.mode === 'socket')
    findings.push(...(await checkAppToken(apiUrl, { token: delivery.appToken, signal })));
  if (publicUrl !== undefined) findings.push(...(await checkPublicUrl(publicUrl, signal)));
  // Leave out the ID of an organization, which Slack returns in `team_id` for an organization's token.
  return { findings, teamId: isWorkspaceId(body.team_id) ? body.team_id : undefined };
}

/**
 * Checks that the bot's public URL can be reached. People install the app there, and webhooks and Slack's deliveries
 * arrive there.
 */
async function checkPublicUrl(publicUrl: string, stop?: AbortSignal): Promise<Finding[]> {
  const url = `${publicUrl}/healthz`;
  const signal = withTimeout(stop);
  const status = await fetch(url, { signal }).then(
    (answer) => `it responded with ${answer.status}`,
    (error: unknown) => reasonOf(error),
  );
  if (status === 'it responded with 200') return [];
  return [{ problem: 'public-url-unreachable', detail: `${url}: ${status}.` }];
}

function reasonOf(error: unknown): string {
  return String(error instanceof Error && error.cause ? error.cause : error);
}

/** Checks the app-level token by requesting a Socket Mode address. Doesn't connect to it. */
async function checkAppToken(apiUrl: string, calling: Calling): Promise<Finding[]> {
  const opened = await call(apiUrl, 'apps.connections.open', calling);
  if ('finding' in opened) return [opened.finding];
  const { ok, error } = opened.body;
  return ok ? [] : [{ problem: 'app-token-rejected', detail: `Slack says ${error}.` }];
}

/** Checks that an organization has given the app at least one workspace. */
async function checkTeams(apiUrl: string, calling: Calling): Promise<Finding[]> {
  const listed = await call(apiUrl, 'auth.teams.list', calling);
  if ('finding' in listed) return [listed.finding];
  const { ok, error, teams = [] } = listed.body;
  if (!ok) return [{ problem: 'bot-token-rejected', detail: `Slack says ${error}.` }];
  const detail = 'Slack lists no workspaces for this token.';
  return teams.some(({ id }) => isWorkspaceId(id)) ? [] : [{ problem: 'no-workspaces', detail }];
}

export function checkScopes(headers: Headers, scopes: AppScopes): Finding[] {
  const granted = headers.get('x-oauth-scopes')?.split(/\s*,\s*/);
  if (!granted) return [];
  const missing = missingScopes(scopes, granted);
  const named = (lacking: readonly string[]) => lacking.join(', ');
  const required: Finding[] = [
    {
      problem: 'scopes-missing',
      detail: `${grantedSentence(missing)}. Missing: ${named(missing.required)}.`,
      named: `${grantedSentence(missing)}, missing: ${named(missing.required)}`,
    },
  ];
  const features = missing.optional.map((scope) => `${featureOf(scope)} (${scope})`);
  const optional: Finding[] = [
    {
      problem: 'optional-scopes-missing',
      detail: `Off: ${named(features)}.`,
      named: named(features),
    },
  ];
  return [
    ...(missing.required.length > 0 ? required : []),
    ...(missing.optional.length > 0 ? optional : []),
  ];
}

type Answer = { body: z.infer<typeof answerSchema>; headers: Headers } | { finding: Finding };

type Calling = { token?: string | undefined; signal?: AbortSignal | undefined };

const withTimeout = (signal?: AbortSignal) =>
  AbortSignal.any([AbortSignal.timeout(callTimeoutMs), ...(signal ? [signal] : [])]);

async function call(apiUrl: string, method: string, { token, signal }: Calling): Promise<Answer> {
  try {
    const answer = await fetch(new URL(method, apiUrl), {
      method: 'POST',
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      signal: withTimeout(signal),
    });
    const read = answerSchema.safeParse(await answer.json().catch(() => undefined));
    if (read.success) return { body: read.data, headers: answer.headers };
    const detail = `${apiUrl} responded with ${answer.status}, but without Slack's JSON.`;
    const isDown = answer.status >= 500;
    return { finding: { problem: isDown ? 'slack-unreachable' : 'slack-url-wrong', detail } };
  } catch (error) {
    return { finding: { problem: 'slack-unreachable', detail: `${apiUrl}: ${reasonOf(error)}` } };
  }
}
