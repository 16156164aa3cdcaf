import type { Fact } from '../../model/facts.ts';
import type { RuleContext } from '../../model/rule.ts';
import { own, saidOf } from './_machine.ts';

// The link-time stub of libcuda: what shows that it was loaded, and by which way the loader came to it.

/** Lines that show libcuda loaded from a stubs directory. */
export function stubLoaded(context: RuleContext): readonly Fact[] {
  const resolved = [...own(context, 'loader.resolved'), ...own(context, 'loader.cache')].filter(
    (fact) => fact.value.soname.startsWith('libcuda.so') && (fact.value.path ?? '').includes('/stubs/'),
  );
  return [...resolved, ...saidOf(context, 'libcuda-in-stubs')];
}

/** The error that a stub gives. */
export function stubError(context: RuleContext): readonly Fact[] {
  return saidOf(context, 'cuda-stub-library');
}

/** A stubs directory on LD_LIBRARY_PATH or in the loader's configuration. */
export function stubOnPath(context: RuleContext): readonly Fact[] {
  const variables = own(context, 'env').filter(
    (fact) => /^(?:LD_LIBRARY_PATH|LD_PRELOAD)$/.test(fact.value.name) && /\/stubs(?:[/:]|$)/.test(fact.value.value),
  );
  const cached = own(context, 'loader.cache').filter(
    (fact) => fact.value.soname.startsWith('libcuda.so') && (fact.value.path ?? '').includes('/stubs/'),
  );
  // The search path of the linker, printed alone: `echo $LIBRARY_PATH`.
  const linker = own(context, 'env')
    .filter((fact) => fact.value.name === 'LIBRARY_PATH')
    .flatMap((fact) => fact.seen.map((each) => each.line));
  return [
    ...variables,
    ...cached,
    ...saidOf(context, 'stubs-on-library-path').filter(
      (fact) =>
        !linker.includes(fact.seen[0]?.line ?? -1) &&
        (!/-L ?\/|LIBRARY_PATH/.test(fact.seen[0]?.text ?? '') || /LD_LIBRARY_PATH/.test(fact.seen[0]?.text ?? '')),
    ),
  ];
}

/** A stubs directory in the binary, by its run path or the options of the linker. */
export function stubInBinary(context: RuleContext): readonly Fact[] {
  return saidOf(context, 'stubs-in-binary');
}
