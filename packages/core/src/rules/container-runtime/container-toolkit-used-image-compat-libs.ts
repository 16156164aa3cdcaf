import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { parseCuda } from '../../versions/cuda.ts';
import { byPrint, captured, installedDriver, newer, own, saidOf, seenOf } from '../driver/_machine.ts';
import { mismatchMessages, olderRelease, sameRelease } from '../driver/_releases.ts';

export const containerToolkitUsedImageCompatLibs: Rule = defineRule({
  id: 'container-runtime/container-toolkit-used-image-compat-libs',
  summary: "The container toolkit put the image's compat libcuda before the host's",
  needs: [],
  anyOf: [
    'said.cuda-forward-compat-unsupported-hw',
    'said.cuda-system-driver-mismatch',
    'said.cuda-unknown-error',
    'said.cuda-no-device',
    'said.cuda-insufficient-driver',
  ],
  uses: [
    'driver.cuda',
    'driver.version',
    'driver.module',
    'container.toolkit-version',
    'said.compat-libcuda-in-use',
    'loader.resolved',
    'loader.cache',
    'file.exists',
    'container.inside',
    'package',
  ],
  citations: ['container-toolkit', 'cuda-forward-compat'],
  explains: [
    'said.cuda-*',
    'said.pt-*',
    'said.tf-*',
    'framework/*',
    'driver/forward-compat-unsupported-gpu',
    'driver/userspace-newer-than-kernel-module',
    'driver/driver-below-toolkit-minimum',
    'driver/stale-driver-libs-on-host',
    'image/*',
  ],
  check(_, context) {
    const errors = saidOf(context, 'cuda-forward-compat-unsupported-hw', 'cuda-system-driver-mismatch');
    const any = [...errors, ...saidOf(context, 'cuda-unknown-error', 'cuda-no-device', 'cuda-insufficient-driver')];
    if (saidOf(context, ...mismatchMessages).length > 0) return { kind: 'silent' };
    const toolkit =
      own(context, 'container.toolkit-version')[0] ??
      own(context, 'package').find((fact) => /^(?:lib)?nvidia-container/.test(fact.value.name));
    const banners = own(context, 'driver.cuda');
    const installed = installedDriver(context);
    const inside = banners.filter((fact) => fact.scope === 'container');
    const outside = banners.filter((fact) => fact.scope !== 'container');
    const served = outside
      .map((fact) => ({ text: fact.value, fact }))
      .concat(
        installed?.driver.serves == null
          ? []
          : [{ text: installed.driver.branch?.cuda ?? '', fact: installed.fact as never }],
      );
    // The same driver answers with a newer CUDA version inside: the libcuda there is not the host's.
    const rise = (inside.length > 0 ? inside : banners).find((fact) => {
      const cuda = parseCuda(fact.value);
      return (
        cuda !== null &&
        served.some((each) => {
          const host = parseCuda(each.text);
          return host !== null && each.fact !== (fact as never) && newer(cuda, host) === true;
        })
      );
    });
    const loaded = saidOf(context, 'compat-libcuda-in-use').filter(
      (fact) => !/LD_LIBRARY_PATH|LD_PRELOAD/.test(fact.seen[0]?.text ?? ''),
    );
    const byHand = saidOf(context, 'compat-libcuda-in-use').filter((fact) =>
      /LD_LIBRARY_PATH|LD_PRELOAD/.test(fact.seen[0]?.text ?? ''),
    );
    const library = captured(loaded, 'path');
    // The release that libcuda.so.1 points to inside, where the image's compat directory holds the very same one.
    const listed = own(context, 'file.exists').flatMap((fact) => {
      const text = /\/compat\/(?:\S{0,40}\/)?libcuda\.so\.(\d{3}\.[\d.]{1,9})$/.exec(fact.value)?.[1];
      return text === undefined ? [] : [{ text, fact }];
    });
    const linked = own(context, 'driver.library').find(
      (fact) => fact.scope !== 'host' && listed.some((each) => sameRelease(each.text, fact.value) === true),
    );
    const release = /libcuda\.so\.(\d{3}\.[\d.]{1,9})$/.exec(library?.value ?? '')?.[1] ?? linked?.value;
    if (
      installed !== null &&
      loaded.length === 0 &&
      rise === undefined &&
      (inside.length > 0 || toolkit !== undefined) &&
      errors.length === 0
    )
      return { kind: 'silent' };
    const containerHints =
      inside.length > 0 ||
      toolkit !== undefined ||
      own(context, 'container.inside').length > 0 ||
      loaded.some((fact) => fact.scope === 'container' || fact.value.captures['action'] !== undefined);
    const remedies = [
      {
        actor: 'node-admin' as const,
        do: 'upgrade the container toolkit: 1.17.4 and later do not take the compat libraries of an image unasked, and 1.20 checks the pair',
        command: 'nvidia-ctk --version',
      },
      {
        actor: 'node-admin' as const,
        do: 'or upgrade the driver of the host, so that it serves the CUDA version of the image itself',
      },
      {
        actor: 'image-owner' as const,
        do: 'or take the compat package out of the image',
        command: 'apt-get purge "cuda-compat-*"',
      },
    ];
    if (errors.length === 0 && !(any.length > 0 && loaded.length > 0 && containerHints)) return { kind: 'silent' };
    if (byHand.length > 0 && loaded.length === 0) return { kind: 'silent' };
    const taken = linked !== undefined;
    const differs = release !== undefined && installed !== null && sameRelease(release, installed.text) === false;
    if (
      containerHints &&
      (rise !== undefined ||
        ((loaded.length > 0 || taken) &&
          (toolkit !== undefined || differs || loaded.some((fact) => fact.value.captures['action'] !== undefined))))
    ) {
      const down = release !== undefined && installed !== null && olderRelease(release, installed.text) === true;
      const facts = [...errors, rise, ...loaded, linked, toolkit, installed?.fact, ...outside.slice(0, 1)];
      const printed = facts.filter((fact) => fact?.told === false);
      return {
        kind: 'fault',
        certainty: byPrint(errors[0] ?? any[0], rise ?? loaded[0] ?? linked),
        message: down
          ? `the container uses libcuda ${release} of the image, older than driver ${installed.text}`
          : rise !== undefined
            ? `inside the container the driver answers with CUDA ${rise.value}, newer than the host serves: the image's compat libcuda is in use`
            : `the container uses the image's compat libcuda${release === undefined ? '' : ` ${release}`}, not the one of the host`,
        seen: seenOf(...(printed.length > 0 ? printed : facts)),
        remedies,
        weight: 5,
      };
    }
    if (errors.length > 0 && toolkit !== undefined) {
      return {
        kind: 'fault',
        certainty: 'possible',
        message: 'the container toolkit may have put the compat libcuda of the image before the one of the host',
        seen: seenOf(...errors, toolkit),
        remedies,
        missing: [
          {
            fact: 'loader.resolved',
            ask: 'docker run --rm --gpus all IMAGE sh -c "ldconfig -p | grep libcuda; nvidia-smi | grep CUDA"',
          },
        ],
        weight: 2,
      };
    }
    if (errors.length > 0 && inside.length > 0 && rise === undefined && outside.length > 0) {
      return {
        kind: 'cleared',
        because: 'the driver answers with the same CUDA version inside and outside the container',
        seen: seenOf(inside[0], outside[0]),
      };
    }
    return { kind: 'silent' };
  },
});
