import type { ModelApi, ModelProvider } from '../environments/models-config.ts';
import type { RunAccess } from './run-access.ts';

/** Returns the models of a provider that a run can use. Undefined if it can use all. */
export function allowedModels(
  { allowed }: Pick<ModelProvider, 'allowed'>,
  { models }: Pick<RunAccess, 'models'>,
): readonly string[] | undefined {
  if (!allowed || !models) return allowed ?? models;
  return allowed.filter((model) => models.includes(model));
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
