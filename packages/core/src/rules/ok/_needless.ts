import type { Fact } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';

// Failures of something that this machine does not need, or that is not its GPU stack.

/** GPUs that come without NVSwitches: boards for desktops and workstations, PCIe cards, and pairs on a bridge. */
const unswitched =
  /GeForce|\bRTX\b|Quadro|TITAN|\bTesla [KMPT]\d|\b(?:A2|A10G?|A16|A30|A40|L2|L4|L20|L40S?|T4)\b|PCI[eE]|\bNVL\b/;

/** Every GPU that the text names is of a kind without NVSwitches; no machine of that kind needs Fabric Manager. */
export function withoutSwitches(context: RuleContext): Fact<'gpu.name'> | undefined {
  const names = context.all('gpu.name').filter((fact) => !fact.told && !elsewhere(fact));
  if (names.length === 0 || context.first('fabric.nvswitch') !== undefined) return undefined;
  return names.every((fact) => unswitched.test(fact.value)) ? names[0] : undefined;
}

/**
 * The module of somebody else that the kernel refused, where the driver of the GPUs answers; undefined where that of
 * NVIDIA was refused, or where it may have been.
 */
export function otherModuleRefused(context: RuleContext): Fact | undefined {
  const refused = context.all('said.module-signature-rejected').filter((fact) => !elsewhere(fact));
  const other = refused.find((fact) => moduleOf(fact) !== undefined && !ofNvidia(fact));
  if (other === undefined || refused.some(ofNvidia)) return undefined;
  return answers(context) ? other : undefined;
}

function moduleOf(fact: Fact): string | undefined {
  const captures = (fact.value as { readonly captures?: Readonly<Record<string, string>> }).captures;
  return captures?.['mod'] ?? captures?.['mod2'];
}

function ofNvidia(fact: Fact): boolean {
  return /^nvidia/.test(moduleOf(fact) ?? '');
}

function answers(context: RuleContext): boolean {
  return context.all('driver.answers').some((fact) => !elsewhere(fact) && !fact.told);
}

/** An event of a newer link that its own line calls not fatal. */
function mildLink(fact: Fact): boolean {
  return (
    fact.id === 'said.xid-line' &&
    /\bXid \([^)]{1,40}\): (?:14[4-9]|150),/.test(text(fact)) &&
    /\bNon-?fatal\b/i.test(text(fact))
  );
}

function text(fact: Fact): string {
  return fact.seen[0]?.text ?? '';
}

/** True for a failure that says nothing of the GPU stack of this machine. */
export function isNeedless(fact: Fact, context: RuleContext): boolean {
  if (/^said\.fm-(?:service-failed|nothing-to-do)$/.test(fact.id)) return withoutSwitches(context) !== undefined;
  if (fact.id === 'said.module-signature-rejected' || fact.id === 'said.lockdown-active')
    return otherModuleRefused(context) !== undefined;
  if (fact.id === 'os.service')
    return (
      /fabric-?manager/i.test((fact.value as { readonly unit: string }).unit) && withoutSwitches(context) !== undefined
    );
  if (fact.id === 'program.exit' || fact.id === 'program.trouble')
    return /fabric-?manager/i.test(text(fact)) && withoutSwitches(context) !== undefined;
  return mildLink(fact);
}

function elsewhere(fact: Fact): boolean {
  return fact.scope === 'other-host' || fact.scope === 'after-fix';
}
