import type { ModelProvider } from '../environments/models-config.ts';
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
