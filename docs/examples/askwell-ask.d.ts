interface AskwellAsk extends HTMLElement {
  project: string;
  src: string;
  theme: string;
  question: string;
  placeholder: string;
  noSql: boolean;
  token: string;
  tokenProvider: ((isRefused: boolean) => Promise<string> | string) | null;
  ask(text: string): boolean;
  answer(given: string | { option_id: string } | { values: Record<string, unknown> }): boolean;
  stop(): void;
  clear(): void;
  focus(options?: FocusOptions): void;
}

interface AskwellAsked {
  query_id: string;
  question: string;
}

interface AskwellFailed {
  query_id: string | null;
  question: string | null;
  status: number;
  code: string;
  message: string;
  hint: string;
}

interface HTMLElementTagNameMap {
  "askwell-ask": AskwellAsk;
}

interface HTMLElementEventMap {
  "askwell-asked": CustomEvent<AskwellAsked>;
  "askwell-clarify": CustomEvent<AskwellAsked & { clarification: Record<string, unknown> }>;
  "askwell-answer": CustomEvent<AskwellAsked & { result: Record<string, unknown>; text: string }>;
  "askwell-stopped": CustomEvent<{ query_id: string | null; question: string }>;
  "askwell-error": CustomEvent<AskwellFailed>;
}
