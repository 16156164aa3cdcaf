/** What was asked of a Prometheus server cannot be had: why, and what helps. */
export class PrometheusError extends Error {
  readonly code: 'bad-option' | 'not-reached' | 'denied' | 'refused' | 'bad-answer' | 'too-much';
  readonly hint: string | null;

  constructor(code: PrometheusError['code'], message: string, hint: string | null = null) {
    super(message);
    this.name = 'PrometheusError';
    this.code = code;
    this.hint = hint;
  }
}
