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
  if (fact.id === 'program.trouble' && /\bdxgk?: /.test(text(fact))) return answersAfter(fact, context);
  if (fact.id === 'program.exit' || fact.id === 'program.trouble')
    return /fabric-?manager/i.test(text(fact)) && withoutSwitches(context) !== undefined;
  if (fact.id === 'said.dxgk-failed') return answersAfter(fact, context);
  if (/^said\.wsl-libcuda-(?:plain-file|not-symlink)$/.test(fact.id)) return foundAllTheSame(context);
  if (fact.id === 'said.nvswitch-sxid') return mildSwitch(context);
  if (fact.id === 'said.nvml-status') return withoutField(fact, context);
  if (fact.id === 'said.xid-line')
    return mildLink(fact) || endedOnPurpose(fact, context) || longAgo(fact, context) !== undefined;
  return mildLink(fact);
}

/** The kernel of WSL tries what this Windows does not have; a driver that answers after it has what it needs. */
function answersAfter(fact: Fact, context: RuleContext): boolean {
  return [...context.all('driver.answers'), ...context.all('gpu.name'), ...context.all('works')].some(
    (other) => !elsewhere(other) && !other.told && other.order > (fact.last ?? fact.order),
  );
}

/** The warning of ldconfig about copies in WSL, where CUDA is found by whoever looked for it. */
function foundAllTheSame(context: RuleContext): boolean {
  const found = context.all('torch.cuda-available').some((fact) => fact.value && !elsewhere(fact) && !fact.told);
  const missed =
    context.all('torch.cuda-available').some((fact) => !fact.value) ||
    ['said.ld-missing-libcuda', 'said.ld-cannot-find-lcuda', 'said.triton-libcuda-not-found', 'said.pt-no-driver'].some(
      (id) => context.first(id as 'said.pt-no-driver') !== undefined,
    );
  return found && !missed;
}

/** An Xid of a job that was cancelled, or of a time long past. */
export function isOver(fact: Fact, context: RuleContext): boolean {
  return endedOnPurpose(fact, context) || longAgo(fact, context) !== undefined;
}

/** Every event of the switches calls itself not fatal, and the program works. */
function mildSwitch(context: RuleContext): boolean {
  const events = context.all('said.nvswitch-sxid').filter((fact) => !elsewhere(fact));
  return (
    context.all('works').some((fact) => !elsewhere(fact) && !fact.told) &&
    events.some((fact) => /\bNon-?fatal\b/i.test(text(fact))) &&
    events.every((fact) => /\bNon-?fatal\b|\bSeverity [01] Engine instance\b|\bData \{0x/i.test(text(fact)))
  );
}

/** NVML has no such value on an integrated GPU, under WSL, or on a slice of a GPU. */
function withoutField(fact: Fact, context: RuleContext): boolean {
  if (!/\bNVMLError_NotSupported\b|\bNVML_ERROR_NOT_SUPPORTED\b|\bnvml: ERROR_NOT_SUPPORTED\b/i.test(text(fact)))
    return false;
  return (
    context.all('os.platform').some((each) => each.value === 'jetson' || each.value === 'wsl') ||
    context
      .all('gpu.name')
      .some((each) => /nvgpu|\b(?:orin|tegra|xavier|thor)\b|^(?:GRID|NVIDIA GRID) |\bMIG\b/i.test(each.value))
  );
}

/** The journal was asked for Xids of a recent time and has none, so one that a gauge still shows is older. */
export function longAgo(fact: Fact, context: RuleContext): Fact | undefined {
  const xid = /\bXid \([^)]{1,40}\): (\d{1,3})\b/.exec(text(fact))?.[1];
  if (!context.all('gpu.last-xid').some((gauge) => String(gauge.value.xid) === xid)) return undefined;
  return context
    .all('said.journal-empty')
    .find((each) => /\b(?:xid|nvrm)\b/i.test(each.command ?? '') && /--since|-S |--boot|-b\b/.test(each.command ?? ''));
}

/** Channels are taken down where a job is cancelled, which the kernel writes down as Xid 45. */
function endedOnPurpose(fact: Fact, context: RuleContext): boolean {
  if (!/\bXid \([^)]{1,40}\): 45,/.test(text(fact))) return false;
  const cancelled =
    context.all('slurm.job').some((job) => /^CANCELLED/.test(job.value.state)) ||
    context.first('said.slurm-cancelled') !== undefined;
  const others = context.all('gpu.xid').some((xid) => xid.value.xid !== 45 && !elsewhere(xid));
  return cancelled && !others;
}

function elsewhere(fact: Fact): boolean {
  return fact.scope === 'other-host' || fact.scope === 'after-fix';
}
