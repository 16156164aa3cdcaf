import { jsonReport } from '../report/json-report.ts';
import type { Paint } from '../report/paint.ts';
import { paintOf } from '../report/paint.ts';
import { wrap } from '../report/visible.ts';
import type { Block, Topic } from './topic.ts';
import { actsWords } from './topic.ts';

export type ExplainFormat = 'text' | 'markdown' | 'json';

/** A topic in one of its formats. */
export function explainReport(
  topic: Topic,
  format: ExplainFormat,
  options: { readonly color: boolean; readonly columns: number | null },
): string {
  switch (format) {
    case 'json':
      return jsonReport({ schema: 'culprit/topic@1', ...topic });
    case 'markdown':
      return markdown(topic);
    case 'text':
      return text(topic, paintOf(options.color), Math.max(40, Math.min(options.columns ?? 100, 100)));
  }
}

/** Several topics that share a number or a name: one line each, and how to ask for one. */
export function severalReport(topics: readonly Topic[], format: ExplainFormat): string {
  if (format === 'json') return jsonReport({ schema: 'culprit/topics@1', topics });
  const width = Math.max(...topics.map((each) => each.id.length));
  const lines = topics.map((each) =>
    format === 'markdown'
      ? `- \`culprit explain ${each.id}\`: ${each.title}`
      : `  culprit explain ${each.id.padEnd(width)}  ${each.title}`,
  );
  return `${format === 'markdown' ? 'Several things have this name or number:\n' : 'several things have this name or number:'}\n${lines.join('\n')}\n`;
}

function text(topic: Topic, paint: Paint, width: number): string {
  const lines: string[] = [
    paint.strong(topic.title),
    paint.dim(topic.id.startsWith(`${topic.kind} `) ? topic.id : `${topic.kind} ${topic.id}`),
  ];
  if (topic.facts.length > 0) {
    const left = Math.max(...topic.facts.map(([name]) => name.length));
    lines.push('', ...topic.facts.flatMap(([name, value]) => hanging(`  ${name.padEnd(left)}  `, value, width)));
  }
  for (const block of topic.blocks) lines.push('', ...blockText(block, paint, width));
  if (topic.owner !== null) lines.push('', `Who acts: ${actsWords[topic.owner]}`);
  if (!topic.confirmed)
    lines.push('', paint.doubt('Not read in a primary source; it never proves anything by itself.'));
  if (topic.see.length > 0) lines.push('', 'See also:', ...topic.see.map((id) => `  culprit explain ${id}`));
  if (topic.sources.length > 0) {
    lines.push(
      '',
      'Sources:',
      ...topic.sources.map(
        (each) => `  ${paint.link(each.url)}${each.title === '' ? '' : paint.dim(` (${each.title})`)}`,
      ),
    );
  }
  return `${lines.join('\n')}\n`;
}

function blockText(block: Block, paint: Paint, width: number): readonly string[] {
  switch (block.kind) {
    case 'text':
      return wrap(block.text, width);
    case 'list':
      return [
        `${block.title}:`,
        ...block.items.flatMap((item, at) => hanging(block.ordered ? `  ${at + 1}. ` : '  - ', item, width)),
      ];
    case 'commands':
      return [`${block.title}:`, ...block.commands.map((each) => `  $ ${each}`)];
    case 'page':
      return pageText(block.markdown, paint, width);
  }
}

/** A rule's page for a terminal: headings without marks, paragraphs wrapped, code as it is. */
function pageText(page: string, paint: Paint, width: number): readonly string[] {
  const lines: string[] = [];
  let code = false;
  let paragraph: string[] = [];
  const flush = (): void => {
    if (paragraph.length === 0) return;
    const joined = paragraph.join(' ');
    const mark = /^(?:[-*]|\d{1,2}\.) /.exec(joined)?.[0] ?? '';
    lines.push(...hanging(mark, joined.slice(mark.length), width));
    paragraph = [];
  };
  for (const line of page.split('\n')) {
    if (line.startsWith('```')) {
      flush();
      code = !code;
    } else if (code) lines.push(`  ${line}`);
    else if (line.startsWith('#')) {
      flush();
      lines.push(paint.strong(line.replace(/^#{1,6} /, '')));
    } else if (line.trim() === '') {
      flush();
      if (lines.at(-1) !== '') lines.push('');
    } else {
      if (/^(?:[-*]|\d{1,2}\.) /.test(line)) flush();
      paragraph.push(line.trim());
    }
  }
  flush();
  return lines;
}

function hanging(mark: string, body: string, width: number): readonly string[] {
  const [first = '', ...rest] = wrap(body, Math.max(20, width - mark.length));
  return [`${mark}${first}`, ...rest.map((line) => ' '.repeat(mark.length) + line)];
}

function markdown(topic: Topic): string {
  const parts: string[] = [`# ${topic.title}`, `${topic.kind} \`${topic.id}\``];
  if (topic.facts.length > 0) {
    const cell = (value: string): string => value.replaceAll('|', '\\|');
    parts.push(
      ['| | |', '|---|---|', ...topic.facts.map(([name, value]) => `| ${name} | ${cell(value)} |`)].join('\n'),
    );
  }
  for (const block of topic.blocks) parts.push(blockMarkdown(block));
  if (topic.owner !== null) parts.push(`**Who acts:** ${actsWords[topic.owner]}`);
  if (!topic.confirmed) parts.push('_Not read in a primary source; it never proves anything by itself._');
  if (topic.see.length > 0) parts.push(`See also: ${topic.see.map((id) => `\`${id}\``).join(', ')}`);
  if (topic.sources.length > 0)
    parts.push(
      [
        'Sources:',
        '',
        ...topic.sources.map((each) => `- <${each.url}>${each.title === '' ? '' : ` (${each.title})`}`),
      ].join('\n'),
    );
  return `${parts.join('\n\n')}\n`;
}

function blockMarkdown(block: Block): string {
  switch (block.kind) {
    case 'text':
      return block.text;
    case 'list':
      return [
        `${block.title}:`,
        '',
        ...block.items.map((item, at) => `${block.ordered ? `${at + 1}.` : '-'} ${item}`),
      ].join('\n');
    case 'commands':
      return [`${block.title}:`, '', '```sh', ...block.commands, '```'].join('\n');
    case 'page':
      return block.markdown;
  }
}
