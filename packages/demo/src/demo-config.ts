import type { Environment } from 'base/config/environment';
import { port, shared } from 'base/config/fields';
import { createSettings } from 'base/config/read-settings';
import { z } from 'zod';

const demoVariables = z.object({
  PORT: port.default(4700),
  RUNS_SERVICE_PORT: port.default(4701),
  GIT_HOST_PORT: port.default(4702),
  WEBHOOKS_PORT: port.default(4703),
  DATA_DIR: z.string().min(1).default('./data/demo'),
  LOG_LEVEL: shared.LOG_LEVEL.default('warn'),
});

const settings = createSettings(
  {
    PORT: 'Port of the page.',
    RUNS_SERVICE_PORT: 'Port of the runs service.',
    GIT_HOST_PORT: 'Port of the git host.',
    WEBHOOKS_PORT: 'Port of the bot, for webhooks that start runs.',
    DATA_DIR: 'Folder for data.',
    LOG_LEVEL: 'trace, debug, info, warn, error or silent.',
  },
  [],
);

/** Reads the demo's settings, which are all optional. */
export function readDemoConfig(environment: Environment) {
  const data = settings.read(demoVariables, environment);
  return {
    port: data.PORT,
    runsServicePort: data.RUNS_SERVICE_PORT,
    gitHostPort: data.GIT_HOST_PORT,
    webhooksPort: data.WEBHOOKS_PORT,
    dataDir: data.DATA_DIR,
    logLevel: data.LOG_LEVEL,
  };
}
