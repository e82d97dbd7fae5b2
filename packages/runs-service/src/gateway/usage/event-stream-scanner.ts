const newline = 0x0a;
const carriageReturn = 0x0d;
const dataField = Buffer.from('data:');

type EventHandlers = {
  /** Called with the pieces of an event's data, as they arrive. */
  onData: (bytes: Buffer) => void;
  onEnd: () => void;
};

/** Finds the data of server-sent events in chunks that can be cut anywhere. It keeps nothing of a line. */
export function createEventStreamScanner({ onData, onEnd }: EventHandlers) {
  /** Bytes of the line so far, up to the length of its field's name. */
  let lineBytes = 0;
  let isData = true;

  return {
    push(chunk: Buffer): void {
      let at = 0;
      while (at < chunk.length) {
        const end = chunk.indexOf(newline, at);
        const line = chunk.subarray(at, end === -1 ? chunk.length : end + 1);
        at += line.length;
        readLine(line);
        if (end === -1) continue;
        lineBytes = 0;
        isData = true;
      }
    },
  };

  function readLine(line: Buffer): void {
    let start = 0;
    while (isData && lineBytes < dataField.length && start < line.length) {
      const byte = line[start++];
      if (byte === carriageReturn) continue;
      if (byte === newline && lineBytes === 0) onEnd();
      isData = byte === dataField[lineBytes];
      lineBytes += 1;
    }
    if (isData && start < line.length) onData(line.subarray(start));
  }
}
