import type { Fact, FactId } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';
import { elsewhere, lastOf, runsAgain, standing } from './_complaints.ts';
import { isSamePiece } from '../application/_standing.ts';
import { isNeedless } from './_needless.ts';

/** Recognised messages that speak of a failure: no notices, no warnings, nothing of another machine. */
export function failures(context: RuleContext): readonly Fact[] {
  const said = context.said.filter((fact) => {
    if (elsewhere(fact) || isNeedless(fact, context)) return false;
    const row = context.knowledge.signatures.find((each) => each.id === fact.value.signature);
    return (
      row !== undefined &&
      (row.role === 'signature' || row.role === 'carrier') &&
      row.severity !== 'info' &&
      row.severity !== 'warning'
    );
  });
  const raised = context.all('program.exception').filter((fact) => !elsewhere(fact));
  const unwell = context
    .all('gpu.state')
    .filter((fact) => !elsewhere(fact) && (fact.value.failedFields?.length ?? 0) > 0);
  return [...said, ...raised, ...unwell].sort((a, b) => a.order - b.order);
}

/** Lines of unknown meaning that speak of an error, apart from those that are known to be harmless. */
export function troubles(context: RuleContext): readonly Fact[] {
  const benign = new Set(
    context.said
      .filter((fact) => {
        const role = context.knowledge.signatures.find((each) => each.id === fact.value.signature)?.role;
        return role === 'benign' || role === 'info';
      })
      .flatMap((fact) => fact.seen.map((each) => `${each.file}:${each.line}`)),
  );
  return context
    .all('program.trouble')
    .filter((fact) => !elsewhere(fact) && !fact.seen.every((each) => benign.has(`${each.file}:${each.line}`)))
    .filter((fact) => !isNeedless(fact, context) && runsAgain(fact, context) === undefined)
    .filter((fact) => !fact.seen.every((each) => denied.test(each.text)));
}

/** A field that says that there was none, and a refusal that was only written down. */
const denied =
  /^\s{0,20}(?:(?:SRAM |DRAM )?Correctable(?: Error)?|Single Bit(?: ECC)?)\s{0,40}: \d{1,9}\s{0,4}$|[:|]\s{0,4}(?:no|none|0|n\/a)\s{0,4}\|?\s{0,4}$|\bavc: .{0,400}\bpermissive=1\b/i;

/**
 * True when nothing in the text failed, or the program worked after the last failure.
 * @param strict also lines of unknown meaning that speak of an error count as failures
 */
export function quiet(context: RuleContext, strict = true): boolean {
  if (standing(context).length > 0) return false;
  if (withoutNodes(context)) return false;
  const failed = [...failures(context), ...(strict ? troubles(context) : [])];
  if (failed.length === 0) return true;
  const worked = works(context);
  if (worked.length === 0) return false;
  // Another command that works is another try; only the program that failed can have gone on.
  return failed.every((failure) =>
    worked.some(
      (fact) =>
        lastOf(fact) > lastOf(failure) &&
        fact.command === failure.command &&
        answersFor(fact, failure) &&
        isSamePiece(context, lastOf(failure), lastOf(fact)),
    ),
  );
}

/**
 * Frameworks that go on with the CPU where they cannot use the GPU: that the program makes progress, or that another
 * framework has the GPU, is then no answer. By message, and what the sign of success has to say.
 */
const withoutGpu: readonly (readonly [RegExp, RegExp])[] = [
  [/^said\.(?:jax-|cuda-library-older)/, /\bJAX\b/],
  [/^said\.tf-(?:cannot-dlopen|kernel-dso-mismatch)/, /\bTensorFlow\b/],
  [/^said\.ggml-(?:no-devices|init-failed)/, /\blayers are on the GPU\b/],
];

function answersFor(success: Fact<'works'>, failure: Fact): boolean {
  const own = withoutGpu.find(([message]) => message.test(failure.id));
  return own === undefined || own[1].test(success.value.what);
}

/** Inside a container that was given no GPU node: whether it wants one is open, and no table of versions says that it works. */
function withoutNodes(context: RuleContext): boolean {
  const inside = context.all('container.inside').some((fact) => !elsewhere(fact));
  return (
    inside &&
    works(context).length === 0 &&
    context.all('devices.listed').some((fact) => fact.scope !== 'host' && fact.value.length === 0)
  );
}

/** The program's own word that it works, here and not after a repair. */
export function works(context: RuleContext): readonly Fact<'works'>[] {
  return context.all('works').filter((fact) => !elsewhere(fact) && !fact.told);
}

/** The first printed fact of an id that speaks of the subject itself. */
export function printed<Id extends FactId>(context: RuleContext, id: Id): Fact<Id> | undefined {
  return context.all(id).find((fact) => !fact.told && !elsewhere(fact));
}
