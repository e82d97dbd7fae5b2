/** Error of a failed step. Its message becomes the run's status message. */
export class DemoFailure extends Error {}
