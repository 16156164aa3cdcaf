import type { ExplainFormat } from '@culprit/core/explain/explain-report';
import { explainReport, severalReport } from '@culprit/core/explain/explain-report';
import { allConcepts, findTopic } from '@culprit/core/explain/find';
import { jsonReport } from '@culprit/core/report/json-report';
import { usageError } from '../errors.ts';
import { pages } from '../rule-pages.ts';
import type { Run } from './command.ts';

export const run: Run = async (call) => {
  const format = call.format as ExplainFormat;
  if (call.positionals.length === 0) {
    call.output.data(overview(format));
    return 0;
  }
  const query = call.positionals.join(' ');
  const found = findTopic(query, await call.knowledge(), pages);
  switch (found.kind) {
    case 'topic':
      call.output.data(explainReport(found.topic, format, call.output));
      return 0;
    case 'several':
      call.output.data(severalReport(found.topics, format));
      return 0;
    case 'none':
      throw usageError(
        'unknown-topic',
        `nothing is known of ${query.slice(0, 200)}`,
        found.suggestions.length === 0
          ? 'culprit explain lists the concepts; a status is asked for as cuda 804, nccl 3, xid 79'
          : `did you mean ${found.suggestions.join(', ')}?`,
      );
  }
};

function overview(format: ExplainFormat): string {
  const concepts = allConcepts();
  if (format === 'json') return jsonReport({ schema: 'culprit/concepts@1', concepts });
  const width = Math.max(...concepts.map((each) => each.id.length));
  const rows = concepts.map((each) =>
    format === 'markdown' ? `- \`${each.id}\`: ${each.title}` : `  ${each.id.padEnd(width)}  ${each.title}`,
  );
  return `concepts (beside rules, causes, messages, error codes such as cuda 804, cudnn9 5000, nccl 3, nvml 18, and xid 79):\n\n${rows.join('\n')}\n`;
}
