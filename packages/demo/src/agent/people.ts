import { type AgentContext, methods } from '@agentclientprotocol/sdk';
import { z } from 'zod';

const content = z.object({ answer: z.string() });

/** Functions to ask the people who follow the run. */
export type People = {
  /** Returns true if someone allows the command. Without an answer, the command is denied. */
  allow(title: string, command: string): Promise<boolean>;
  /**
   * Returns the chosen option or, if there are no choices, the entered text. Returns undefined if no one answers in
   * time.
   */
  ask(question: string, choices?: readonly string[]): Promise<string | undefined>;
};

export function createPeople(client: AgentContext, sessionId: string): People {
  let calls = 0;
  return {
    async allow(title, command) {
      calls += 1;
      const { outcome } = await client.request(methods.client.session.requestPermission, {
        sessionId,
        toolCall: { toolCallId: `call-${calls}`, title, kind: 'execute', rawInput: { command } },
        options: [
          { optionId: 'allow', name: 'Allow once', kind: 'allow_once' },
          { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
        ],
      });
      return outcome.outcome === 'selected' && outcome.optionId === 'allow';
    },

    async ask(question, choices) {
      const field = { type: 'string' as const, ...(choices && { enum: [...choices] }) };
      const answer = await client.request(methods.client.elicitation.create, {
        sessionId,
        mode: 'form',
        message: question,
        requestedSchema: { type: 'object', properties: { answer: field }, required: ['answer'] },
      });
      if (answer.action !== 'accept') return undefined;
      const { data } = content.safeParse(answer['content']);
      return data?.answer;
    },
  };
}
