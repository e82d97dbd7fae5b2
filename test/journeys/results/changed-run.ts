import { startApiStub } from '../../support/network/api-stub.ts';
import { general, runMessageShowing, startProduct, textOf } from '../../support/product/product.ts';

export const pullRequest = (state: string, more: object = {}) => ({
  artifacts: [
    {
      artifact_type: 'PULL_REQUEST',
      data: { url: 'https://github.com/acme/shop/pull/12', number: 12, state, ...more },
    },
  ],
});

/** Starts a product with Grace's ended run, whose changes aren't published yet. Ada is an admin. */
export async function startChangedRun({ replicas = 1 } = {}) {
  const product = await startProduct();
  const api = await startApiStub();
  const answer = { status_message: { message: 'I fixed the **login**.' } };
  const shows = (publication: object, more: object = {}) =>
    api.answers('SUCCEEDED', { ...answer, ...more, publication });
  shows({ state: 'offered' });
  const runsApi = { baseUrl: api.baseUrl, apiKey: 'key-of-the-stub' };
  for (let count = 0; count < replicas; count += 1) await product.startBot({ runsApi });
  const { workspace, grace } = product;
  await grace.types(general, '/agent run fix the login');
  const message = await runMessageShowing(workspace, 'Create pull request');
  const at = { channelId: general, messageTs: message.ts };
  const opens = async (person: typeof grace, actionId: string, words: string) => {
    await person.clicks(at, actionId);
    return workspace.until(() => {
      const view = person.modal();
      return view && textOf(view.content).includes(words) ? view : undefined;
    });
  };
  return { ...product, api, shows, at, opens };
}
