const resource = (name: string, kind: string, verbs: string[], group = '') => ({
  name,
  kind,
  verbs,
  namespaced: true,
  singularName: kind.toLowerCase(),
  ...(group !== '' && { group }),
});

const all = ['create', 'delete', 'get', 'list', 'watch'];

const documents: Record<string, object> = {
  '/version': { major: '1', minor: '31', gitVersion: 'v1.31.0' },
  '/api': { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] },
  '/apis': {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: [
      {
        name: 'batch',
        versions: [{ groupVersion: 'batch/v1', version: 'v1' }],
        preferredVersion: { groupVersion: 'batch/v1', version: 'v1' },
      },
    ],
  },
  '/api/v1': {
    kind: 'APIResourceList',
    groupVersion: 'v1',
    resources: [
      { ...resource('pods', 'Pod', all), shortNames: ['po'] },
      resource('pods/log', 'Pod', ['get']),
      resource('secrets', 'Secret', all),
      { ...resource('events', 'Event', all), shortNames: ['ev'] },
    ],
  },
  '/apis/batch/v1': {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: 'batch/v1',
    resources: [resource('jobs', 'Job', all)],
  },
};

/** Answers the first requests of clients such as kubectl. Returns false for other paths. */
export function sendDiscovery(
  path: string,
  answer: (status: number, content: object) => void,
): boolean {
  const document = documents[path.replace(/\/$/, '')];
  if (document) answer(200, document);
  return document !== undefined;
}
