import type { Environment } from 'base/config/environment';
import { port, shared } from 'base/config/fields';
import { readSettings } from 'base/config/read-settings';
import { z } from 'zod';

const demoVariables = z.object({
  PORT: port.default(4700),
  RUNS_SERVICE_PORT: port.default(4701),
  GIT_HOST_PORT: port.default(4702),
  DATA_DIR: z.string().min(1).default('./data/demo'),
  LOG_LEVEL: shared.LOG_LEVEL.default('warn'),
});

/** All settings of the demo are optional. */
export function readDemoConfig(environment: Environment) {
  const data = readSettings(demoVariables, environment);
  return {
    port: data.PORT,
    runsServicePort: data.RUNS_SERVICE_PORT,
    gitHostPort: data.GIT_HOST_PORT,
    dataDir: data.DATA_DIR,
    logLevel: data.LOG_LEVEL,
  };
}
