import { matchGpu } from '@culprit/core/compat/gpu-name';
import { tablesOf } from '@culprit/core/compat/tables';
import type { ExplainFormat } from '@culprit/core/explain/explain-report';
import { explainReport, severalReport } from '@culprit/core/explain/explain-report';
import { allConcepts, findTopic } from '@culprit/core/explain/find';
import { jsonReport } from '@culprit/core/report/json-report';
import type { Topic } from '@culprit/core/explain/topic';
import { usageError } from '../errors.ts';
import { launchFlags } from '../launch-flags.ts';
import { pages } from '../rule-pages.ts';
import type { Call, Run } from './command.ts';

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
      call.output.data(explainReport(await numbered(found.topic, call), format, call.output));
      return 0;
    case 'several':
      call.output.data(severalReport(found.topics, format));
      return 0;
    case 'none':
      if (matchGpu(query, tablesOf(await call.knowledge()).gpus).length > 0)
        throw usageError(
          'unknown-topic',
          `${query.slice(0, 80)} is a GPU, no topic`,
          `culprit judge --gpu "${query.slice(0, 80)}" --driver VERSION says what runs there, culprit occupancy --gpu "${query.slice(0, 80)}" what an SM holds`,
        );
      throw usageError(
        'unknown-topic',
        `nothing is known of ${query.slice(0, 200)}`,
        found.suggestions.length === 0
          ? 'culprit explain lists the concepts; a status is asked for as cuda 804, nccl 3, xid 79'
          : `did you mean ${found.suggestions.join(', ')}?`,
      );
  }
};

/** The topic with the numbers of the launch that the flags describe. */
async function numbered(topic: Topic, call: Call): Promise<Topic> {
  const described = [...launchFlags.map((flag) => flag.name), 'active-threads'].filter(
    (name) => call.flags[name] !== undefined,
  );
  if (described.length === 0) return topic;
  const { hasNumbers, withNumbers } = await import('@culprit/core/explain/computed');
  if (topic.kind !== 'concept' || !hasNumbers(topic.id)) {
    call.output.note(`culprit: ${topic.id} has no numbers of a launch; --${described[0]} is left out`);
    return topic;
  }
  const { activeThreadsOf, launchOf } = await import('../launch.ts');
  const knowledge = await call.knowledge();
  return withNumbers(topic, launchOf(call, knowledge), activeThreadsOf(call), knowledge);
}

function overview(format: ExplainFormat): string {
  const concepts = allConcepts();
  if (format === 'json') return jsonReport({ schema: 'culprit/concepts@1', concepts });
  const width = Math.max(...concepts.map((each) => each.id.length));
  const rows = concepts.map((each) =>
    format === 'markdown' ? `- \`${each.id}\`: ${each.title}` : `  ${each.id.padEnd(width)}  ${each.title}`,
  );
  return `concepts (beside rules, causes, messages, error codes such as cuda 804, cudnn9 5000, nccl 3, nvml 18, and xid 79):\n\n${rows.join('\n')}\n`;
}
