import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const imagePullFailed: Rule = defineRule({
  id: 'image/image-pull-failed',
  summary: 'The image cannot be pulled',
  needs: [],
  anyOf: ['said.k8s-image-pull', 'said.engine-registry-refused'],
  citations: ['kubernetes-images'],
  explains: ['said.k8s-image-pull', 'said.no-space-left', 'application/application-download-failed'],
  check(_facts, context) {
    const lead = said(context, 'k8s-image-pull')[0];
    const answer = said(context, 'engine-registry-refused')[0];
    const symptom = lead ?? answer;
    if (symptom === undefined) return { kind: 'silent' };
    const later = own(context, 'works').find((fact) => fact.order > symptom.order);
    if (later !== undefined)
      return { kind: 'cleared', because: 'the image was pulled in the end, and its program runs', seen: seen(later) };
    const why = answer?.value.captures['why'];
    const text = symptom.seen.map((each) => each.text).join(' ');
    const wrongArch = said(context, 'k8s-image-arch', 'image-platform-wrong')[0];
    if (wrongArch !== undefined) return { kind: 'silent' };
    const pulled = /ImagePull|ErrImage|InvalidImageName|pull|manifest|resolve reference/i.test(text);
    if (!pulled) return { kind: 'silent' };
    return {
      kind: 'fault',
      certainty: symptom.told
        ? 'possible'
        : why !== undefined ||
            /manifest unknown|pull access denied|toomanyrequests|not found|unauthorized|x509|InvalidImageName/i.test(
              text,
            )
          ? byPrint(symptom, answer)
          : 'likely',
      message: `the image cannot be pulled${why === undefined ? '' : `: ${why}`}`,
      seen: seen(symptom, answer),
      remedies: [
        { actor: 'developer', do: 'check name and tag; try it by hand', command: 'skopeo inspect docker://IMAGE' },
        {
          actor: 'developer',
          do: 'a private registry needs a pull secret in the pod’s name space',
          command: 'kubectl get secret; kubectl describe pod POD | tail -n 15',
        },
        { actor: 'node-admin', do: 'see that the node reaches the registry, trusts its certificate, and has room' },
      ],
      missing:
        why === undefined
          ? [missing('said.engine-registry-refused', 'kubectl describe pod POD | grep -A2 Failed')]
          : [],
      weight: 2,
    };
  },
});
