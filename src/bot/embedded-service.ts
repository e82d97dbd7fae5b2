import { randomBytes } from 'node:crypto';
import type { AnyDb } from 'base/database/tables';
import type { Logger } from 'base/logger';
import type { Metrics } from 'base/metrics/metrics';
import { openRunRemover } from 'runs-service/artifacts/remove-runs';
import { createConfiguredService } from 'runs-service/configured-service';
import type { EmbeddedRuns, RemoteRuns } from '../config/bot-config.ts';
import type { createSignedIn } from '../slack/people/signed-in.ts';

/** Creator of the runs that the bot starts on the embedded runs service. */
const ownCreator = {
  type: 'service_account',
  uid: 'slash-agent',
  display_name: 'slash-agent',
} as const;

type EmbeddedServiceDeps = {
  /** Database with the tables of the runs service. The caller opens and closes it. */
  db: AnyDb;
  metrics: Metrics | undefined;
  /** Decides what people who signed in with Slack can see. */
  visibility: ReturnType<typeof createSignedIn>;
  logger: Logger;
};

/**
 * Runs the runs service in the bot's process. The bot calls its API as if it were remote, with a key that only this
 * process knows.
 */
export function createEmbeddedService(
  { embedded, environments, signIn }: EmbeddedRuns,
  { db, metrics, visibility, logger }: EmbeddedServiceDeps,
) {
  const apiKey = randomBytes(24).toString('base64url');
  const service = createConfiguredService(embedded, {
    db,
    environments,
    keys: [{ key: apiKey, role: 'all', creator: ownCreator, source: 'SLACK' }],
    slackSignIn: signIn && {
      issuer: signIn.issuer,
      clientId: signIn.clientId,
      clientSecret: signIn.clientSecret,
      canSee: (person, run) => visibility.canSee(person, inSlack(run)),
      nameToAnswer: (person, run) => visibility.nameToAnswer(person, inSlack(run)),
    },
    nameCreator: (run) => visibility.nameCreator(inSlack(run)),
    metrics,
    logger,
  });
  const remover = openRunRemover(db, embedded);
  return {
    start: service.start,
    stop: service.stop,
    /** Deletes runs with their output and files. */
    removeRuns: async (ids: readonly string[]): Promise<void> => void (await remover.byId(ids)),
    /**
     * Returns the address of the embedded service, once it has started. HTTP is allowed because the calls stay on this
     * machine.
     */
    address: (): RemoteRuns => ({ baseUrl: service.apiUrl, apiKey, allowHttp: true }),
  };
}

const inSlack = ({ id, metadata_json: json }: { id: string; metadata_json: string }) => ({
  run_id: id,
  metadata: JSON.parse(json),
});
