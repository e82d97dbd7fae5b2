import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from 'base/config/environment';
import { shared } from 'base/config/fields';
import { ExplainedError } from 'base/explained-error';
import { withSecretFiles } from 'base/secrets/secret-files';
import { z } from 'zod';

/** Schema of the JSON that a dispatch command gets on stdin. The command can save it as a file for `run-one`. */
const fileSchema = z.object({ run_id: z.string(), service_url: z.string(), token: z.string() });

const usage =
  'Set RUN_FILE to a file with the JSON that the dispatch command got, or set RUN_ID, RUN_SERVICE_URL and RUN_TOKEN_FILE (or RUN_TOKEN).';

const variablesSchema = z.object({
  RUN_ID: z.string().min(1),
  RUN_SERVICE_URL: z.url({ protocol: /^https?$/ }),
  RUN_TOKEN: z.string().min(1),
});

/**
 * Reads the settings of a `run-one` process, including the run to execute.
 * @throws ExplainedError that says what is missing
 */
export function readRunOneConfig(environment: Environment) {
  const values = withSecretFiles(environment, ['RUN_TOKEN']);
  const { RUN_FILE, DATA_DIR, PATH, RUNS_SERVICE_ALLOW_ROOT, LOG_LEVEL } = values;
  const file = RUN_FILE === undefined ? undefined : readRunFile(RUN_FILE);
  const found = variablesSchema.safeParse({
    RUN_ID: values['RUN_ID'] ?? file?.run_id,
    RUN_SERVICE_URL: values['RUN_SERVICE_URL'] ?? file?.service_url,
    RUN_TOKEN: values['RUN_TOKEN'] ?? file?.token,
  });
  if (!found.success) {
    const names = found.error.issues.map(({ path }) => path.join('.'));
    throw new ExplainedError(`Missing or wrong: ${names.join(', ')}. ${usage}`);
  }
  return {
    runId: found.data.RUN_ID,
    serviceUrl: found.data.RUN_SERVICE_URL,
    token: found.data.RUN_TOKEN,
    dataDir: DATA_DIR ?? join(tmpdir(), 'slash-agent-runs'),
    path: PATH,
    allowRoot: RUNS_SERVICE_ALLOW_ROOT === 'true',
    logLevel: shared.LOG_LEVEL.parse(LOG_LEVEL),
  };
}
export type RunOneConfig = ReturnType<typeof readRunOneConfig>;

function readRunFile(file: string): z.infer<typeof fileSchema> {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new ExplainedError(`Can't read what the dispatch command got in ${file}. ${usage}`, {
      cause: error,
    });
  }
}
