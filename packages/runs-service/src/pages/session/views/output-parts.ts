import { readSteps } from '../../../harnesses/steps/read-steps.ts';
import { stepView } from './step-view.ts';
import { type TerminalStyle, terminalLines } from './terminal-lines.ts';

type OutputParts = {
  /** Each line as safe HTML: text with its line end, or steps. */
  parts: string[];
  /** The style that the next line starts with. */
  style: TerminalStyle | undefined;
};

/** Output as HTML: events of known harnesses as steps, everything else as in a terminal. */
export function outputParts(output: string, from?: TerminalStyle): OutputParts {
  let style = from;
  const pieces = output.split('\n');
  const parts = pieces.map((line, index) => {
    const steps = readSteps(line);
    if (steps) return steps.map(stepView).join('');
    const rendered = terminalLines(line, style);
    style = rendered.style;
    return rendered.lines.join('') + (index < pieces.length - 1 ? '\n' : '');
  });
  return { parts: parts.filter((part) => part !== ''), style };
}
