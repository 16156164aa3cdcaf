import { element } from '../dom.ts';
import type { DrawnTimeline } from './events.ts';
import { timeWords } from './times.ts';

const tags = { waste: 'costs time', healthy: 'is well', unclear: 'open' } as const;

/** The findings, each with a button that shows where it holds. */
export function findingList(data: DrawnTimeline, choose: (finding: number) => void): HTMLElement {
  const list = element('ul', { class: 'found' });
  for (const [at, finding] of data.findings.entries()) {
    const saving = finding.savingNs === null ? '' : `; at most ${timeWords(finding.savingNs)} could be saved`;
    const item = element(
      'li',
      { class: `found-${finding.kind}`, id: `mark-${at + 1}` },
      element('span', { class: 'tag' }, tags[finding.kind]),
      ` ${finding.message}${saving} `,
    );
    if (finding.marks.length > 0) {
      const button = element('button', { type: 'button' }, 'show');
      button.setAttribute('aria-label', `show where ${finding.cause} holds`);
      button.addEventListener('click', () => choose(at));
      item.append(button);
    }
    list.append(item);
  }
  linkVerdict(data, choose);
  return list;
}

/** The findings of the verdict above point into the time line. */
function linkVerdict(data: DrawnTimeline, choose: (finding: number) => void): void {
  for (const section of document.querySelectorAll<HTMLElement>('[data-cause]')) {
    const at = data.findings.findIndex(({ cause, marks }) => cause === section.dataset['cause'] && marks.length > 0);
    if (at < 0 || section.querySelector('.to-timeline') !== null) continue;
    const link = element('a', { href: '#timeline', class: 'to-timeline' }, 'show it on the time line');
    link.addEventListener('click', () => choose(at));
    section.append(element('p', {}, link));
  }
}
