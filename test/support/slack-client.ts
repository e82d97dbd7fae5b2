import { createLogger } from 'base/logger';
import type { LocalWorkspace } from 'slack-stand-in';
import { createWebClient } from '../../src/slack/connection/calls/web-client.ts';
import { fixedToken } from '../../src/slack/connection/installations/installations.ts';

/** Creates a client with the token of the app that is installed in this workspace. */
export const createSlackClient = ({ apiUrl, botToken }: LocalWorkspace) =>
  createWebClient({ apiUrl, tokens: fixedToken(botToken), logger: createLogger('silent') });
