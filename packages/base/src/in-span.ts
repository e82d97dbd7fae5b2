import { type Attributes, SpanStatusCode, trace } from '@opentelemetry/api';

/**
 * Runs `work` in an OpenTelemetry span, for operators who load an SDK. Without one it only calls `work`. Attributes are
 * IDs and never texts, because spans leave this machine.
 */
export function inSpan<T>(
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
): Promise<T> {
  return trace.getTracer('slash-agent').startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
