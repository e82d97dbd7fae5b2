/** Problems with a provider that people can do something about. */
export type ProviderProblem =
  | { kind: 'no_key' | 'unreachable' | 'private_address' | 'cut' | 'silent' }
  | { kind: 'status'; status: number };

const tell = 'Tell the operator of the runs service.';

/** Returns the line for the timeline of a run. */
export function problemText(provider: string, problem: ProviderProblem): string {
  const name = `The model provider "${provider}"`;
  switch (problem.kind) {
    case 'no_key':
      return `The key of the model provider "${provider}" can't be read. ${tell}`;
    case 'unreachable':
      return `${name} can't be reached.`;
    case 'private_address':
      return `${name} has an address of this machine or network, which needs "allow_private". ${tell}`;
    case 'cut':
      return `${name} ended a response too early.`;
    case 'silent':
      return `${name} was silent for 20 minutes, so a model call ended.`;
    case 'status':
      return statusText(name, problem.status);
  }
}

function statusText(name: string, status: number): string {
  if (status === 401)
    return `${name} rejected the key (401). Tell the operator of the runs service to check its "key_file".`;
  if (status === 403) return `${name} denied a model call (403). ${tell}`;
  if (status === 429) return `${name} limited the number of model calls (429).`;
  if (status >= 300 && status < 400)
    return `${name} redirected a model call, which isn't followed. ${tell}`;
  if (status >= 500) return `${name} failed with status ${status}.`;
  return `${name} rejected a model call with status ${status}.`;
}
