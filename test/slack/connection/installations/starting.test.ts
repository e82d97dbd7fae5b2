import { StoreUnavailable } from 'base/database/store-unavailable';
import { createLogger } from 'base/logger';
import { describe, expect, it } from 'vitest';
import type { Installations } from '../../../../src/slack/connection/installations/installations.ts';
import { createOAuthInstallations } from '../../../../src/slack/connection/installations/oauth-installations.ts';
import { createSingleInstallation } from '../../../../src/slack/connection/installations/single-installation.ts';
import { createInstallationStore } from '../../../../src/store/installations.ts';
import { useDatabase } from '../../../support/database/databases.ts';

const database = useDatabase();

type Begin = () => Promise<void>;

const inPlaceOf = {
  'a bot token': (claim: Begin) =>
    createSingleInstallation({
      botToken: 'xoxb-1',
      testAuth: async () => ({ ok: true, team_id: 'T1', team: 'Acme' }),
      listTeams: async () => [],
      owner: { claim, claimForOrganization: claim },
      store: createInstallationStore(database()),
    }),
  OAuth: (begin: Begin) =>
    createOAuthInstallations({
      store: { ...createInstallationStore(database()), begin: () => begin().then(() => 1) },
      refresh: async ({ token }) => token,
      isAccepted: async () => true,
      listTeams: async () => [],
      oauth: { scopes: [], publicUrl: 'https://bot.example.com' },
      logger: createLogger('silent'),
    }),
} satisfies Record<string, (begin: Begin) => Installations>;

describe.each(Object.entries(inPlaceOf))(
  'a start with %s, when the database fails late in it',
  (_, create) => {
    it('waits for the database, with one line in the log', async () => {
      const lines: string[] = [];
      const logger = createLogger('info', { write: (line) => void lines.push(line) });
      let calls = 0;
      const installations = create(async () => {
        calls += 1;
        if (calls < 3) throw new StoreUnavailable('unknown', new Error('ECONNRESET'));
      });
      const { signal } = new AbortController();
      expect(await installations.start({ signal, logger, firstWaitMs: 1 })).toBeDefined();
      expect(calls).toBe(3);
      expect(lines.filter((line) => line.includes("The database can't be reached"))).toHaveLength(
        1,
      );
    });

    it('ends with the stop', async () => {
      const stopping = new AbortController();
      const installations = create(async () => {
        stopping.abort();
        throw new StoreUnavailable('undone');
      });
      const waiting = { signal: stopping.signal, logger: createLogger('silent'), firstWaitMs: 1 };
      expect(await installations.start(waiting)).toBeUndefined();
    });

    it('fails at once if waiting cannot help', async () => {
      const installations = create(() => Promise.reject(new Error('another workspace')));
      const waiting = { signal: new AbortController().signal, logger: createLogger('silent') };
      await expect(installations.start(waiting)).rejects.toThrow('another workspace');
    });
  },
);
