import { modelApiOf, modelVariables } from '../harnesses/model-input.ts';
import type { ServiceEnvironment } from './environments.ts';
import type { ModelProvider } from './models-config.ts';

/** Returns the mistakes in an environment's use of model providers, each as the end of a sentence. */
export function modelMistakes(
  {
    harness,
    models: names,
    variables,
    secret_files: files,
  }: Pick<ServiceEnvironment, 'harness' | 'models' | 'variables' | 'secret_files'>,
  providers: Record<string, Pick<ModelProvider, 'api'>>,
): string[] {
  if (!names) return [];
  const missing = names.filter((name) => !Object.hasOwn(providers, name));
  if (missing.length > 0)
    return missing.map((name) => `with the model provider "${name}", which isn't in "models"`);
  const apis = names.map((name) => providers[name]?.api);
  const needed = modelApiOf(harness);
  const mistakes = Object.entries({ variables, secret_files: files }).flatMap(([member, given]) =>
    Object.keys(given ?? {})
      .filter((name) => apis.some((api) => api && modelVariables[api].includes(name)))
      .map((name) => `with ${name} in "${member}"; remove it, because "models" replaces it`),
  );
  if (needed === undefined || apis.includes(needed)) return mistakes;
  return [
    ...mistakes,
    `with "harness: ${harness}", which needs a model provider with "api: ${needed}"`,
  ];
}
