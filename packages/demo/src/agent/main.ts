import { Readable, Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { agent, methods, ndJsonStream } from '@agentclientprotocol/sdk';
import { processEnvironment } from 'base/config/environment';
import { sleep } from 'base/sleep';
import { DemoFailure } from './demo-failure.ts';
import { createModel } from './model.ts';
import { newestRequest } from './newest-request.ts';
import { createPeople, type People } from './people.ts';
import { perform } from './perform.ts';
import { planLine } from './plan-line.ts';
import { understand } from './understand.ts';

/**
 * Runs the demo agent in the current folder. The agent asks its questions through the Agent Client Protocol (ACP), and
 * prints all other output. `--pace-ms` adds a pause before and after every step, so that people can watch.
 */
const { values } = parseArgs({ options: { 'pace-ms': { type: 'string', default: '0' } } });
const paceMs = Number(values['pace-ms']) || 0;
const sessionId = 'demo';
const model = createModel(processEnvironment());
const say = (line: string) => process.stdout.write(`${line}\n`);

async function work(prompt: string, people: People): Promise<void> {
  const steps = understand(newestRequest(prompt));
  for (const [index, step] of steps.entries()) {
    if (steps.length > 1) say(planLine(steps, index));
    await sleep(paceMs);
    say('');
    // Print the step as its own paragraph, because the last paragraph of the output becomes the answer.
    say(`\u001b[2m── ${step.kind}\u001b[22m\n`);
    if (model && step.kind !== 'think') say(`${await model(`The next step: ${step.kind}`)}\n`);
    await perform(step, process.cwd(), say, people, model);
    await sleep(paceMs);
  }
  if (steps.length > 1) say(planLine(steps, steps.length));
}

agent({ name: 'demo agent' })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentCapabilities: {
      mcpCapabilities: { http: true },
      // Declare `resume`, although the agent remembers nothing. Otherwise, a follow-up's prompt would contain the
      // whole conversation.
      sessionCapabilities: { resume: {} },
    },
  }))
  .onRequest(methods.agent.session.new, () => ({ sessionId }))
  .onRequest(methods.agent.session.resume, () => ({}))
  .onNotification(methods.agent.session.cancel, () => process.exit(1))
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    say('\u001b[1mThis is the demo agent.\u001b[22m It understands simple requests by keywords.');
    if (paceMs > 0) say('It works slowly, so that you can watch.');
    const texts = params.prompt.map((block) => (block.type === 'text' ? block.text : ''));
    try {
      await work(texts.join('\n'), createPeople(client, sessionId));
    } catch (error) {
      if (!(error instanceof DemoFailure)) throw error;
      process.stderr.write(`\u001b[31m${error.message}\u001b[39m\n`);
      process.exit(1);
    }
    return { stopReason: 'end_turn' };
  })
  .connect(
    ndJsonStream(
      Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
      Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    ),
  );
