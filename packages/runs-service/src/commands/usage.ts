import { processEnvironment } from 'base/config/environment';
import { readDatabaseUrl } from 'base/config/stored-data';
import { withPresentTables } from 'base/database/database';
import { ExplainedError } from 'base/explained-error';
import { serviceSettings } from '../config/variables.ts';
import { serviceTables } from '../store/tables.ts';
import { createUsageSums } from '../store/usage-sums.ts';
import { runUsageCommand, usage } from '../usage-command.ts';

export { usage };

export const run = (args: readonly string[]): Promise<void> =>
  runUsageCommand(args, {
    print: (line) => process.stdout.write(`${line}\n`),
    withUsage: (work) => {
      const url = readDatabaseUrl(serviceSettings, processEnvironment());
      return withPresentTables(url, [serviceTables], {}, (db, present) => {
        if (present.length === 0)
          throw new ExplainedError(
            'The runs service has never used this database, so it has no model calls. Check DATABASE_URL and DATA_DIR.',
          );
        return work(createUsageSums(db));
      });
    },
  });
