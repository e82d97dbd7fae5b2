import { z } from 'zod';
import { type AppScopes, grantedSentence, missingScopes } from '../config/app-scopes.ts';
import type { BotConfig } from '../config/bot-config.ts';
import { featureOf } from '../config/scope-features.ts';
import { isWorkspaceId } from '../store/workspace-id.ts';
import type { Finding } from './faults.ts';

const answerSchema = z.looseObject({
  ok: z.boolean(),
  error: z.string().optional(),
  team_id: z.string().optional(),
  is_enterprise_install: z.boolean().optional(),
  teams: z.array(z.looseObject({ id: z.string() })).optional(),
});

const callTimeoutMs = 6_000;
/** Slack refuses signatures that are five minutes old; messages are looked for by time. */
const mostSkewMs = 30_000;

type SlackParts = {
  slack: BotConfig['slack'];
  /** The scopes of the manifest. */
  scopes: AppScopes;
  now: () => number;
  signal?: AbortSignal | undefined;
};

/** `teamId`: the workspace of the token. */
type SlackSeen = { findings: Finding[]; teamId?: string | undefined };

export async function checkSlack({ slack, scopes, now, signal }: SlackParts): Promise<SlackSeen> {
  const { apiUrl, botToken, oauth, delivery } = slack;
  // With OAuth, each workspace has its own token.
  const method = botToken === undefined ? 'api.test' : 'auth.test';
  const test = await call(apiUrl, method, { token: botToken, signal });
  if ('finding' in test) return { findings: [test.finding] };
  const { body, headers } = test;
  const findings: Finding[] = [];
  const skewMs = Math.abs(now() - Date.parse(headers.get('date') ?? ''));
  if (skewMs > mostSkewMs)
    findings.push({
      fault: 'clock-wrong',
      detail: `It differs from Slack's by ${Math.round(skewMs / 1_000)} s.`,
    });
  if (!body.ok) findings.push({ fault: 'bot-token-rejected', detail: `Slack says ${body.error}.` });
  else if (botToken !== undefined) {
    findings.push(...checkScopes(headers, scopes));
    if (body.is_enterprise_install)
      findings.push(...(await checkTeams(apiUrl, { token: botToken, signal })));
  }
  if (delivery.mode === 'socket')
    findings.push(...(await checkAppToken(apiUrl, { token: delivery.appToken, signal })));
  if (oauth) findings.push(...(await checkPublicUrl(oauth.publicUrl, signal)));
  // With an organization's token, Slack names the organization there.
  return { findings, teamId: isWorkspaceId(body.team_id) ? body.team_id : undefined };
}

/** People install the app there; in HTTP mode, Slack delivers there. */
async function checkPublicUrl(publicUrl: string, stop?: AbortSignal): Promise<Finding[]> {
  const url = `${publicUrl}/healthz`;
  const signal = inTime(stop);
  const status = await fetch(url, { signal }).then(
    (answer) => `it answered ${answer.status}`,
    (error: unknown) => reasonOf(error),
  );
  if (status === 'it answered 200') return [];
  return [{ fault: 'public-url-silent', detail: `${url}: ${status}.` }];
}

function reasonOf(error: unknown): string {
  return String(error instanceof Error && error.cause ? error.cause : error);
}

/** Opens nothing: the address that Slack returns isn't used. */
async function checkAppToken(apiUrl: string, calling: Calling): Promise<Finding[]> {
  const opened = await call(apiUrl, 'apps.connections.open', calling);
  if ('finding' in opened) return [opened.finding];
  const { ok, error } = opened.body;
  return ok ? [] : [{ fault: 'app-token-rejected', detail: `Slack says ${error}.` }];
}

/** With an organization's token. */
async function checkTeams(apiUrl: string, calling: Calling): Promise<Finding[]> {
  const listed = await call(apiUrl, 'auth.teams.list', calling);
  if ('finding' in listed) return [listed.finding];
  const { ok, error, teams = [] } = listed.body;
  if (!ok) return [{ fault: 'bot-token-rejected', detail: `Slack says ${error}.` }];
  const detail = 'Slack lists no workspaces for this token.';
  return teams.some(({ id }) => isWorkspaceId(id)) ? [] : [{ fault: 'no-workspaces', detail }];
}

function checkScopes(headers: Headers, scopes: AppScopes): Finding[] {
  const granted = headers.get('x-oauth-scopes')?.split(/\s*,\s*/);
  if (!granted) return [];
  const missing = missingScopes(scopes, granted);
  const named = (lacking: readonly string[]) => lacking.join(', ');
  const required: Finding[] = [
    {
      fault: 'scopes-missing',
      detail: `${grantedSentence(missing)}. Missing: ${named(missing.required)}.`,
      named: `${grantedSentence(missing)}, not ${named(missing.required)}`,
    },
  ];
  const features = missing.optional.map((scope) => `${featureOf(scope)} (${scope})`);
  const optional: Finding[] = [
    {
      fault: 'optional-scopes-missing',
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

const inTime = (signal?: AbortSignal) =>
  AbortSignal.any([AbortSignal.timeout(callTimeoutMs), ...(signal ? [signal] : [])]);

async function call(apiUrl: string, method: string, { token, signal }: Calling): Promise<Answer> {
  try {
    const answer = await fetch(new URL(method, apiUrl), {
      method: 'POST',
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      signal: inTime(signal),
    });
    const read = answerSchema.safeParse(await answer.json().catch(() => undefined));
    if (read.success) return { body: read.data, headers: answer.headers };
    const detail = `${apiUrl} answered ${answer.status} without Slack's JSON.`;
    const isAway = answer.status >= 500;
    return { finding: { fault: isAway ? 'slack-away' : 'slack-url-wrong', detail } };
  } catch (error) {
    return { finding: { fault: 'slack-away', detail: `${apiUrl}: ${reasonOf(error)}` } };
  }
}
