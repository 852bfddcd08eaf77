// How tools reach the service, and how they fail. Each transport supplies its own `AgentService`.

/** The body of an answer. */
export type CallBody = Readonly<Record<string, unknown>>;

export interface AgentService {
  /**
   * Makes a call as the user of the server. Throws a ToolFailure with the code of a refusal. A dry
   * run is part of the payload.
   */
  call(event: string, payload: object, options?: { readonly idempotencyKey?: string }): Promise<CallBody>;
}

/** A call of the service, as `describe` shows it. */
export interface DescribedCall {
  readonly event: string;
  readonly changes: boolean;
  readonly summary: string;
  readonly description: string;
  /** The JSON Schema of its fields. */
  readonly fields: object;
  readonly codes: readonly string[];
}

/** An expected failure of a tool. The model gets it as an answer. */
export class ToolFailure extends Error {
  readonly code: string;
  readonly details: object | undefined;
  /** Lines that help the model to do better, such as candidates. They are safe to show. */
  readonly help: readonly string[];

  constructor(code: string, message: string, more: { details?: object | undefined; help?: readonly string[] } = {}) {
    super(message);
    this.code = code;
    this.details = more.details;
    this.help = more.help ?? [];
  }
}

/** The environment of a tool. */
export interface ToolContext {
  readonly service: AgentService;
  /** All calls of the service. */
  readonly catalog: readonly DescribedCall[];
  /** Whether the server has the tools that change something. */
  readonly canWrite: boolean;
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** Converts days and times of a payload to the format of the service. Throws a ToolFailure. */
  withTimes(event: string, payload: object): object;
}
