import { runLimitsSchema } from 'runs-client/run-limits';
import type { ModelProvider } from '../environments/models-config.ts';
import type { StoredRun } from '../store/runs.ts';
import { allowedModels } from './allowed-models.ts';

/** Returns what an agent knows of its providers, which is neither a key nor an address. */
export const agentProviders = (
  providers: readonly ModelProvider[],
  models: readonly string[] | undefined,
) =>
  providers.map((provider) => {
    const { name, api, base_url: address, server_tools = false } = provider;
    const allowed = allowedModels(provider, { models });
    const has_own_address = address !== undefined;
    return { name, api, server_tools, has_own_address, ...(allowed && { allowed: [...allowed] }) };
  });

/** Returns the models that the run's limits allow. Undefined if they allow all. */
export const modelsOfRun = ({ limits_json: json }: Pick<StoredRun, 'limits_json'>) =>
  json === null ? undefined : runLimitsSchema.parse(JSON.parse(json)).models;
