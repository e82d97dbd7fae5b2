import { activeStates, type StoredRun } from './runs.ts';
import type { Db } from './schema.ts';

/** Creates the store for the tokens with which agents reach models. Only hashes of the tokens are stored. */
export function createModelTokens(db: Db) {
  return {
    /**
     * Stores the token of an active run, in place of an earlier one. Returns false if the run isn't active, or another
     * process executes it.
     */
    async setModelToken(runId: string, owner: string, tokenHash: string): Promise<boolean> {
      const changed = await db
        .updateTable('service_runs')
        .set({ model_token_hash: tokenHash })
        .where('id', '=', runId)
        .where('lease_owner', '=', owner)
        .where('state', 'in', activeStates)
        .executeTakeFirst();
      return changed.numUpdatedRows === 1n;
    },

    /** Finds the active run with a token. The token of an ended run finds nothing. */
    findByModelToken: (tokenHash: string): Promise<StoredRun | undefined> =>
      db
        .selectFrom('service_runs')
        .selectAll()
        .where('model_token_hash', '=', tokenHash)
        .where('state', 'in', activeStates)
        .executeTakeFirst(),
  };
}
export type ModelTokens = ReturnType<typeof createModelTokens>;
