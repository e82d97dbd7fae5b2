import { Readable, Writable } from 'node:stream';
import { agent, methods, ndJsonStream } from '@agentclientprotocol/sdk';
import { createPeople } from 'demo/agent/people';

/** Script of an agent that asks for a permission and then for a text, and prints both answers. */
const sessionId = 'asking';

agent({ name: 'asking agent' })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentCapabilities: { sessionCapabilities: { resume: {} } },
  }))
  .onRequest(methods.agent.session.new, () => ({ sessionId }))
  .onRequest(methods.agent.session.resume, () => ({}))
  .onNotification(methods.agent.session.cancel, () => process.exit(1))
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const [block] = params.prompt;
    // Ask only for the first prompt, not for follow-ups.
    const asks = block?.type === 'text' && block.text.startsWith('ask');
    if (asks) {
      const people = createPeople(client, sessionId);
      const isAllowed = await people.allow('Delete the build', 'rm -r build');
      const name = await people.ask('What is it called?');
      process.stdout.write(`${isAllowed ? 'allow' : 'reject'}, ${name}\n`);
    }
    return { stopReason: 'end_turn' };
  })
  .connect(
    ndJsonStream(
      Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
      Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    ),
  );
