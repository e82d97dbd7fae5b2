import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'base/logger';
import { generatedKeys } from 'base/secrets/encryption-keys';
import { readRunsServiceConfig } from 'runs-service/config/runs-service-config';
import { createBot } from '../bot/bot.ts';
import type { SlackTokens } from '../config/check-slack-config.ts';
import type { SlackRecord } from './record.ts';

/** Script that acts as the agent. Its prompt sets how long it waits, and how long its answer is. */
const agent = `
const prompt = process.env.AGENT_PROMPT;
const [, count, unit] = /wait (\\d+) (second|minute)/.exec(prompt) ?? [, '0', 'second'];
const headings = Array.from({ length: 60 }, (_, at) => '## Heading ' + (at + 1));
const text = /headings/.test(prompt) ? headings.join('\\n\\n') : 'check-slack: **done**';
const answer = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
const waitMs = Number(count) * (unit === 'minute' ? 60_000 : 1_000);
setTimeout(() => console.log(JSON.stringify(answer)), waitMs);
`;

const environments = [
  {
    id: 'check-slack',
    isolation: 'none' as const,
    repositories: [],
    command: [process.execPath, '-e', agent],
  },
];

/** Rule that lets workflow steps start runs. */
const rules = { rules: [{ name: 'check-slack', workflows: true }] };

type Deps = SlackTokens & { record: SlackRecord; logger: Logger };

/** Creates a bot that executes runs locally. Stopping it deletes its data. */
export function createCheckedBot(deps: Deps) {
  const { apiUrl, botToken, appToken, linkDomain, record, logger } = deps;
  const parts: { stop(): Promise<void> }[] = [];

  return {
    async start(): Promise<void> {
      const folder = await mkdtemp(join(tmpdir(), 'check-slack-'));
      parts.push({ stop: () => rm(folder, { recursive: true, force: true }) });
      const encryptionKeys = generatedKeys(folder);
      const policyFile = join(folder, 'policy.json');
      await writeFile(policyFile, JSON.stringify(rules));
      const bot = createBot(
        {
          slack: { botToken, apiUrl, delivery: { mode: 'socket', appToken } },
          health: undefined,
          runsApi: {
            embedded: readRunsServiceConfig({
              DATA_DIR: folder,
              RUNS_SERVICE_ENVIRONMENTS: 'none',
              RUNS_SERVICE_PORT: '0',
              RUNS_SERVICE_PUBLIC_URL: `https://${linkDomain}`,
              // Let the runs service run as root, because the only agent is the script above.
              RUNS_SERVICE_ALLOW_ROOT: 'true',
            }),
            environments,
          },
          unfurlDomains: [linkDomain],
          policyFile,
          databaseUrl: `sqlite:${join(folder, 'slash-agent.db')}`,
          encryptionKeys,
          logLevel: 'silent',
        },
        logger,
        { reports: record.reports },
      );
      parts.push(bot);
      await bot.start();
    },

    async stop(): Promise<void> {
      for (const part of parts.splice(0).reverse()) await part.stop();
    },
  };
}
