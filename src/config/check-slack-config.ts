import type { Environment } from 'base/config/environment';
import { z } from 'zod';
import { botVariables, withSlash } from './bot-config.ts';
import { settings } from './variables.ts';

const { SLACK_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_API_URL, UNFURL_DOMAINS } = botVariables.shape;

const tokenVariables = z.object({
  SLACK_BOT_TOKEN: SLACK_BOT_TOKEN.unwrap(),
  SLACK_APP_TOKEN: SLACK_APP_TOKEN.unwrap(),
  SLACK_API_URL,
  UNFURL_DOMAINS,
});

/** Domain of example links. It doesn't have to exist, because Slack only compares it with the manifest. */
const exampleDomain = 'runs.example.org';

export type SlackTokens = ReturnType<typeof readSlackTokens>;

/**
 * Reads the Slack tokens from environment variables.
 * @throws ExplainedError that lists missing and wrong variables and where to get them
 */
export function readSlackTokens(environment: Environment) {
  const data = settings.read(tokenVariables, environment);
  return {
    apiUrl: withSlash(data.SLACK_API_URL),
    botToken: data.SLACK_BOT_TOKEN,
    appToken: data.SLACK_APP_TOKEN,
    linkDomain: data.UNFURL_DOMAINS?.[0] ?? exampleDomain,
  };
}
