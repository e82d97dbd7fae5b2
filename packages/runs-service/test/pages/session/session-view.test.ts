import { expect, it } from 'vitest';
import { shellEnvironment, startRunsService } from '../../support/runs-service.ts';

const says = (text: string) => {
  const content = { type: 'text', text };
  return `echo '${JSON.stringify({ sessionUpdate: 'agent_message_chunk', content })}'`;
};

/** Sorts these texts by their positions on a page. */
const inOrder = (page: string, ...texts: string[]) =>
  texts.toSorted((a, b) => page.indexOf(a) - page.indexOf(b));

it('shows the answer of an ended run first, and folds its prompt and its technical details', async () => {
  const service = await startRunsService({
    environments: [shellEnvironment(`${says('Added a line.')}; echo three >> notes.txt`)],
  });
  const id = await service.begin({ prompt: 'add a line', metadata: { ticket: 'SHOP-12' } });
  const run = await service.until(id, 'SUCCEEDED');
  const page = await (await fetch(run.session_link ?? '')).text();
  const sections = ['<h2>Answer', '<h2>Changes', '<h2>Prompt', '<h2>Output'];
  expect(inOrder(page, ...sections)).toEqual(sections);
  expect(page).toMatch(/<section id="prompt"><details >/);
  const technical = /<section id="technical"><details>.*?<\/details>/s.exec(page)?.[0];
  expect(technical).toContain(id);
  expect(technical).toContain('SHOP-12');
});

it('shows the prompt of an active run until there is something to read', async () => {
  const gate = 'until [ -e ../../go ]; do sleep 0.02; done';
  const service = await startRunsService({
    environments: [shellEnvironment(`${gate}`)],
  });
  const id = await service.begin({ prompt: 'wait' });
  const run = await service.until(id, 'INPROGRESS');
  const page = await (await fetch(run.session_link ?? '')).text();
  expect(page).toMatch(/<section id="prompt"><details open>/);
  expect(page).not.toContain('<h2>Answer');
});

it("names the person who started a run in Slack instead of the API key's owner", async () => {
  const service = await startRunsService({
    environments: [shellEnvironment('true')],
    nameCreator: async ({ metadata_json: json }) => JSON.parse(json).slack_user && 'Grace <b>',
  });
  const header = async (metadata: Record<string, string>) => {
    const run = await service.until(await service.begin({ prompt: 'x', metadata }), 'SUCCEEDED');
    const page = await (await fetch(run.session_link ?? '')).text();
    return /<header id="header">.*?<\/header>/s.exec(page)?.[0] ?? '';
  };
  expect(await header({ slack_user: 'U1' })).toContain('Grace &lt;b&gt; · ');
  expect(await header({})).toContain('Ada · ');
});
