import { processEnvironment } from 'base/config/environment';
import { readDatabaseUrl } from 'base/config/stored-data';
import { withDatabase } from 'base/database/database';
import { serviceSettings } from '../config/variables.ts';
import type { DatabaseSchema } from '../store/schema.ts';
import { serviceTables } from '../store/tables.ts';
import { createUsageSums } from '../store/usage-sums.ts';
import { runUsageCommand, usage } from '../usage-command.ts';

export { usage };

export const run = (args: readonly string[]): Promise<void> =>
  runUsageCommand(args, {
    print: (line) => process.stdout.write(`${line}\n`),
    withUsage: (work) => {
      const url = readDatabaseUrl(serviceSettings, processEnvironment());
      return withDatabase<DatabaseSchema, void>(url, [serviceTables], {}, (db) =>
        work(createUsageSums(db)),
      );
    },
  });
