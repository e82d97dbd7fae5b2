/** A logger for problems of the stand-in itself, such as a pino logger. */
export type Logger = { error: (details: object, message: string) => void };

export const stderrLogger: Logger = {
  error: ({ err, ...details }: { err?: unknown }, message) =>
    void process.stderr.write(`${message} ${JSON.stringify(details)}\n${describe(err)}`),
};

const describe = (error: unknown): string =>
  error instanceof Error ? `${error.stack ?? error.message}\n` : '';
