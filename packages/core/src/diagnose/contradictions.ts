import type { FactId } from '../model/facts.ts';
import type { Layer } from '../model/layer.ts';
import type { RuleContext } from '../model/rule.ts';
import type { Unknown } from '../model/verdict.ts';
import { commandsFor } from './evaluate.ts';

/** Facts of which one subject can have one value only. */
const single: readonly (readonly [FactId, Layer])[] = [
  ['driver.module', 'driver'],
  ['driver.flavour', 'driver'],
  ['torch.version', 'framework'],
  ['os.arch', 'host-os'],
];

/** What the kernel logs when a module is loaded: of an earlier start, where memory has another release now. */
const logged = /\bNVRM: loading NVIDIA\b/;

/** Facts printed with two values for the same subject: both are shown, and what would settle it is asked for. */
export function contradictionsOf(context: RuleContext): readonly Unknown[] {
  const unknown: Unknown[] = [];
  for (const [id, layer] of single) {
    const printed = context
      .all(id)
      .filter((fact) => !fact.told && fact.scope !== 'other-host' && fact.scope !== 'after-fix');
    // What is in memory now outranks what a log says of an earlier start.
    const now = printed.filter((fact) => !fact.seen.every((each) => logged.test(each.text)));
    const facts = now.length > 0 ? now : printed;
    const scopes = new Map<string, Set<string>>();
    for (const fact of facts) {
      const values = scopes.get(fact.scope) ?? new Set();
      scopes.set(fact.scope, values.add(typeof fact.value === 'string' ? fact.value : JSON.stringify(fact.value)));
    }
    for (const values of scopes.values()) {
      if (values.size < 2) continue;
      unknown.push({
        layer,
        missing: [`${id} (printed as ${[...values].slice(0, 4).join(' and ')})`],
        ask: commandsFor[id] ?? 'culprit check',
      });
    }
  }
  return unknown;
}
