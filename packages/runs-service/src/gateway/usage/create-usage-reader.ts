import type { UsageReader } from './call-usage.ts';
import { createEventStreamScanner } from './event-stream-scanner.ts';
import { geminiUsage } from './gemini-usage.ts';
import { createJsonScanner } from './json-scanner.ts';
import { messagesUsage } from './messages-usage.ts';
import { chatUsage, responsesUsage } from './openai-usage.ts';
import type { ReportedValues, UsageFormat } from './usage-format.ts';

/** Formats in which APIs report usage. */
export type UsageFlavor = 'messages' | 'responses' | 'chat' | 'gemini';

const formats: Record<UsageFlavor, UsageFormat> = {
  messages: messagesUsage,
  responses: responsesUsage,
  chat: chatUsage,
  gemini: geminiUsage,
};

/** @param contentType header of the response, which decides if it's a stream of events or JSON */
export function createUsageReader(flavor: UsageFlavor, contentType: string): UsageReader {
  const format = formats[flavor];
  const reported: ReportedValues = new Map();
  let isLast = false;
  let outputBytes = 0;
  const json = createJsonScanner(format.wanted, {
    onObject: (values) => {
      if (format.merge(values, reported)) isLast = true;
    },
    onText: (bytes) => {
      outputBytes += bytes;
    },
  });
  const isEventStream = contentType.toLowerCase().includes('event-stream');
  const { push } = isEventStream
    ? createEventStreamScanner({ onData: json.push, onEnd: json.reset })
    : json;
  return {
    push,
    read() {
      const usage = format.usage(reported);
      return {
        usage,
        isFinal: isLast && usage !== undefined,
        model: format.model(reported),
        tier: format.tier(reported),
        outputBytes,
      };
    },
  };
}
