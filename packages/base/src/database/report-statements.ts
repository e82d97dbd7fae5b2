import type { KyselyConfig, LogEvent } from 'kysely';

export type OnStatement = (statement: {
  kind: 'select' | 'insert' | 'update' | 'delete' | 'other';
  outcome: 'ok' | 'failed';
  ms: number;
}) => void;

/**
 * Returns the Kysely option that reports statements. Returns no option without a listener, because measuring costs
 * time.
 */
export function reportStatements(onStatement: OnStatement | undefined): Pick<KyselyConfig, 'log'> {
  if (!onStatement) return {};
  return {
    log: ({ level, query, queryDurationMillis: ms }) => {
      const outcome = level === 'error' ? 'failed' : 'ok';
      onStatement({ kind: kindOf(query), outcome, ms });
    },
  };
}

function kindOf({ query }: LogEvent['query']) {
  switch (query.kind) {
    case 'SelectQueryNode':
      return 'select';
    case 'InsertQueryNode':
      return 'insert';
    case 'UpdateQueryNode':
      return 'update';
    case 'DeleteQueryNode':
      return 'delete';
    default:
      return 'other';
  }
}
