import { readableText } from 'base/readable-text';
import { isTerminalState, type Run } from 'runs-client/contract';

type PrinterOptions = {
  print: (text: string) => void;
  note: (line: string) => void;
  /** For the session page. */
  key: string;
};

/** Prints what is new about a run each time that it has changed: states, tool calls, questions, and in the end the answer. */
export function createRunPrinter({ print, note, key }: PrinterOptions): (run: Run) => void {
  const told = new Set<string>();
  /** What agents say can contain commands to a terminal. */
  function tell(line: string, about = line): void {
    if (told.has(about)) return;
    told.add(about);
    note(readableText(line));
  }

  return (run) => {
    const { state, status_message: status, agent_progress: progress } = run;
    if (run.session_link) tell(`Started. Session page: ${run.session_link}`, 'started');
    for (const { name, input, started_at: at } of progress?.tool_calls ?? [])
      tell(`- ${name} ${input ?? ''}`, `${at} ${name} ${input}`);
    const question = progress?.question;
    if (question) {
      const how = `Answer it on the session page. Sign in there with the key ${key}`;
      tell(`The agent asks: ${question.text}\n${how}`, question.id);
    }
    if (!isTerminalState(state)) return;
    const changes = progress?.changes;
    if (changes && changes.files > 0) {
      const files = `${changes.files} ${changes.files === 1 ? 'file' : 'files'}`;
      tell(`Changed ${files}, +${changes.insertions} −${changes.deletions}`);
    }
    const words = progress?.answer ?? status?.message ?? '';
    if (state === 'SUCCEEDED') print(readableText(words));
    else tell(`Failed: ${status?.message ?? 'the run has ended without a reason'}`);
  };
}
