import { shorten } from 'base/shorten';
import type { AgentStep } from './steps/agent-step.ts';

const maxCharacters = 100_000;
/** Of a paragraph that a script prints. */
const maxLines = 20;
const maxLineCharacters = 2_000;
/** Lines around the answer that a script prints, in place of its last paragraph. The last one counts. */
const markers = { start: '<answer>', end: '</answer>' };

/** The last message of an agent. Text after a tool call or with another id is a new message. */
export function createAnswer() {
  let message = '';
  let messageId: string | undefined;
  let isOpen = false;
  let paragraph: string[] = [];
  let paragraphEnded = false;
  let marked = '';
  let isMarked = false;

  return {
    add(step: AgentStep): void {
      if (step.kind === 'call' || step.kind === 'result' || step.kind === 'end') isOpen = false;
      if (step.kind !== 'text' || step.text === '') return;
      const continues = isOpen && step.part === true && step.id === messageId;
      // A new message of white space alone is none.
      if (!continues && step.text.trim() === '') return;
      message = (continues ? message + step.text : step.text).slice(0, 2 * maxCharacters);
      messageId = step.id;
      isOpen = step.part === true;
    },

    print(line: string): void {
      const word = line.trim();
      if (word === markers.start || word === markers.end) {
        isMarked = word === markers.start;
        if (isMarked) marked = '';
        return;
      }
      if (isMarked) {
        if (marked.length < maxCharacters) marked += `${line.slice(0, maxCharacters)}\n`;
        return;
      }
      const isBlank = word === '';
      if (isBlank) {
        paragraphEnded = true;
        return;
      }
      if (paragraphEnded) paragraph = [];
      paragraphEnded = false;
      paragraph = [...paragraph, line.slice(0, maxLineCharacters)].slice(-maxLines);
    },

    text(clean: (text: string) => string): string | undefined {
      const words = clean(message || marked || paragraph.join('\n')).trim();
      return words === '' ? undefined : shorten(words, maxCharacters);
    },
  };
}
