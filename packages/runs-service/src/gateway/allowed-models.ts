import type { ModelApi, ModelProvider } from '../environments/models-config.ts';
import { opencodeNameOf } from '../harnesses/model-settings.ts';
import type { RunAccess } from './run-access.ts';

type Provider = Pick<ModelProvider, 'name' | 'api' | 'base_url' | 'allowed'>;

/** Returns the models of a provider that a run can use. Undefined if it can use all. */
export function allowedModels(
  provider: Provider,
  { models }: Pick<RunAccess, 'models'>,
): readonly string[] | undefined {
  const { allowed } = provider;
  if (!models) return allowed;
  const ids = [...new Set(models.flatMap((model) => idsOf(model, provider)))];
  return allowed ? allowed.filter((id) => ids.includes(id)) : ids;
}

/** Returns the IDs that a model of the limits can mean. People choose `<provider>/<ID>` in OpenCode, but it calls `<ID>`. */
function idsOf(model: string, { name, api, base_url: address }: Provider): string[] {
  const provider = { name, api, has_own_address: address !== undefined };
  const prefixes = [`${name}/`, `${opencodeNameOf(provider, new Set())}/`];
  const prefix = prefixes.find((each) => model.startsWith(each));
  if (prefix === undefined) return [model];
  const id = model.slice(prefix.length);
  // IDs of other servers can contain a slash themselves.
  return address === undefined ? [id] : [id, model];
}

/** Returns the response to a request for the list of models, in the form of the API. */
export function modelsList(api: ModelApi, models: readonly string[]): object {
  const [first = null, last = null] = [models[0], models.at(-1)];
  switch (api) {
    case 'anthropic': {
      const created = { created_at: '1970-01-01T00:00:00Z' };
      const data = models.map((id) => ({ type: 'model', id, display_name: id, ...created }));
      return { data, has_more: false, first_id: first, last_id: last };
    }
    case 'openai': {
      const data = models.map((id) => ({ id, object: 'model', created: 0, owned_by: 'provider' }));
      return { object: 'list', data };
    }
    case 'gemini': {
      const methods = ['generateContent', 'countTokens'];
      const list = models.map((id) => ({
        name: `models/${id}`,
        displayName: id,
        supportedGenerationMethods: methods,
      }));
      return { models: list };
    }
  }
}
