import type { Fact } from '../../model/facts.ts';
import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { missing, own, said, seen } from '../container-runtime/_container.ts';
import { pairOf } from '../driver/_releases.ts';

export const libraryReplacedUnderProcess: Rule = defineRule({
  id: 'host-os/library-replaced-under-process',
  summary: 'A running process goes on with a library that was removed or replaced',
  needs: ['process.library'],
  citations: ['proc-maps-manual'],
  explains: ['said.lib-symbol-missing', 'said.ld-undefined-*', 'said.cudnn-sublibraries-differ'],
  check(_facts, context) {
    const libraries = own(context, 'process.library');
    const gone = libraries.filter((fact) => fact.value.deleted);
    const [first] = gone;
    if (first === undefined)
      return {
        kind: 'cleared',
        because: 'the libraries that running processes have loaded are still the ones on disk',
        seen: seen(libraries[0]),
      };
    const { relation } = pairOf(context);
    // The driver was upgraded under it: the rule of that says who must end.
    if (relation === 'library-newer' && gone.every(isDriver)) return { kind: 'silent' };
    const symptom = said(
      context,
      'lib-symbol-missing',
      'ld-undefined-cuda-lib-symbol',
      'ld-undefined-nvjitlink',
      'cudnn-sublibraries-differ',
    )[0];
    const { pid, path } = first.value;
    const processes = new Set(gone.map((fact) => fact.value.pid)).size;
    return {
      kind: 'fault',
      certainty: symptom === undefined ? 'possible' : 'likely',
      message: `process ${pid} goes on with ${path}, which was removed or replaced since it started${processes > 1 ? `; so do ${processes - 1} more` : ''}: what it loads later is of another release`,
      seen: [...gone.slice(0, 3).flatMap((fact) => seen(fact)), ...seen(symptom)],
      remedies: [
        { actor: 'developer', do: 'start the process again, so that all its libraries are of one release' },
        { actor: 'node-admin', do: 'change packages of an environment only while nothing runs from it' },
      ],
      missing: [missing('whether that process still does its work', `grep deleted /proc/${pid}/maps`)],
      weight: 1,
    };
  },
});

function isDriver(fact: Fact<'process.library'>): boolean {
  return /\/lib(?:cuda|nvidia-)[\w-]{0,40}\.so/.test(fact.value.path);
}
