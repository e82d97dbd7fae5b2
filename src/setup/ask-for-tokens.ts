import type { Environment } from 'base/config/environment';
import type { AppScopes } from '../config/app-scopes.ts';
import type { BotConfig } from '../config/bot-config.ts';
import type { ProblemName } from '../doctor/problems.ts';
import { describeFinding } from '../doctor/report.ts';
import { checkSlack } from '../doctor/slack-checks.ts';
import { askUntil } from './ask-until.ts';
import { replacing, type SettingChanges } from './env-file.ts';
import type { Prompts } from './prompts.ts';

type TokenDeps = {
  prompts: Prompts;
  known: Environment;
  scopes: AppScopes;
  manifestFor(unfurlDomains: readonly string[]): string;
};

const slackApi = 'https://slack.com/api/';
/** Problems that another token or a retry can solve, so setup asks again. The doctor reports all others at the end. */
const solvable: readonly ProblemName[] = [
  ...([
    'bot-token-rejected',
    'app-token-rejected',
    'slack-unreachable',
    'slack-url-wrong',
  ] as const),
];

/** Asks for the tokens of the Slack app, and checks each one. */
export async function askForTokens({
  prompts,
  known,
  scopes,
  manifestFor,
}: TokenDeps): Promise<SettingChanges> {
  const { SLACK_BOT_TOKEN: knownBot, SLACK_APP_TOKEN: knownApp } = known;
  if (!knownBot)
    prompts.print(
      `\nOpen https://api.slack.com/apps, choose Create New App → From a manifest, and paste this:\n\n${manifestFor(cardDomains(known))}\nThen choose Create and install, which shows both tokens. If Slack doesn't offer that, choose Create and then Install App.\nOn a free plan of Slack, paste the output of slash-agent manifest --plain instead.\n`,
    );
  const apiUrl = known['SLACK_API_URL'] ?? slackApi;
  const check = async (slack: Omit<BotConfig['slack'], 'apiUrl'>) => {
    const { findings } = await checkSlack({
      slack: { ...slack, apiUrl },
      publicUrl: undefined,
      scopes,
      now: Date.now,
    });
    const wrong = findings.find(({ problem }) => solvable.includes(problem));
    return wrong && describeFinding(wrong);
  };
  const botToken = await askUntil(prompts, {
    text: 'Bot User OAuth Token, also under Install App (xoxb-…)',
    known: knownBot,
    isSecret: true,
    check: (token) =>
      token.startsWith('xoxb-')
        ? check({ botToken: token, delivery: httpDelivery })
        : 'A bot token starts with xoxb-.',
  });
  const changes = replacing(known, 'SLACK_BOT_TOKEN', botToken);
  if (known['SLACK_SIGNING_SECRET'] && !knownApp) return changes;
  const appToken = await askUntil(prompts, {
    text: 'App-level token with the scope connections:write, also under Basic Information → App-Level Tokens (xapp-…)',
    known: knownApp,
    isSecret: true,
    check: (token) =>
      token.startsWith('xapp-')
        ? check({ botToken, delivery: { mode: 'socket', appToken: token } })
        : 'An app-level token starts with xapp-.',
  });
  return { ...changes, ...replacing(known, 'SLACK_APP_TOKEN', appToken) };
}

/** Delivery settings for checking only the bot token, because HTTP mode needs no app-level token. */
const httpDelivery = { mode: 'http', signingSecret: '', host: '', port: 0 } as const;

/** Returns the domains of session pages whose links Slack can show as cards. */
function cardDomains({ UNFURL_DOMAINS, RUNS_SERVICE_PUBLIC_URL, RUNS_API_URL }: Environment) {
  if (UNFURL_DOMAINS) return UNFURL_DOMAINS.split(/\s*,\s*/);
  const url = RUNS_SERVICE_PUBLIC_URL ?? RUNS_API_URL;
  const host = url && URL.canParse(url) ? new URL(url).hostname : '';
  return /^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]+$/i.test(host) ? [host] : [];
}
