import { ApiProblem } from './problem.ts';

/**
 * Ignoring an unknown parameter would answer another question.
 * @throws ApiProblem that names the parameter
 */
export function assertSupported(
  parameters: URLSearchParams,
  isKnown: (name: string) => boolean,
  canRepeat: (name: string) => boolean = () => false,
): void {
  for (const [name, value] of parameters) {
    const refuse = (why: string): never => {
      throw new ApiProblem('invalid_request', `${name.slice(0, 100)}: ${why}`);
    };
    if (`${name}${value}`.includes('\0')) refuse('contains a NUL character');
    if (!isKnown(name)) refuse("isn't supported by this service");
    if (!canRepeat(name) && parameters.getAll(name).length > 1) refuse('is given more than once');
  }
}
