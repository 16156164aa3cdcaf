import type { Fact, SaidId } from '../../model/facts.ts';
import type { Outcome, Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

/** What a registry's answer to Enroot means. */
const answers: Readonly<Record<string, string>> = {
  '400': 'it does not understand the name',
  '401': 'it wants other credentials',
  '403': 'these credentials may not read the image',
  '404': 'it has no image of this name',
  '429': 'it limits how often images are pulled',
};

function byEnroot(lead: Fact<SaidId>): Outcome {
  const code = lead.value.captures['code'] ?? '';
  const host = /^https?:\/\/([^/\s]{1,200})/.exec(lead.value.captures['url'] ?? '')?.[1] ?? 'the registry';
  return {
    kind: 'fault',
    certainty: byPrint(lead),
    message: `the image cannot be pulled: ${host} answers ${code}${answers[code] === undefined ? '' : `, ${answers[code]}`}`,
    seen: seen(lead),
    remedies: [
      {
        actor: 'developer',
        do: 'check host, name and tag: Enroot writes HOST#NAME:TAG',
        command: 'enroot import docker://HOST#NAME:TAG',
      },
      {
        actor: 'developer',
        do: 'put the key of the registry into the credentials of Enroot',
        command: 'machine HOST login NAME password KEY   # in ~/.config/enroot/.credentials',
      },
    ],
    explains: ['said.enroot-url-refused', 'said.pyxis-*', 'application/rank-ended-first'],
    weight: 2,
  };
}

export const imagePullFailed: Rule = defineRule({
  id: 'image/image-pull-failed',
  summary: 'The image cannot be pulled',
  needs: [],
  anyOf: ['said.k8s-image-pull', 'said.engine-registry-refused', 'said.enroot-url-refused'],
  citations: ['kubernetes-images'],
  explains: ['said.k8s-image-pull', 'said.no-space-left', 'application/application-download-failed'],
  check(_facts, context) {
    const lead = said(context, 'k8s-image-pull')[0];
    const answer = said(context, 'engine-registry-refused')[0];
    const enroot = said(context, 'enroot-url-refused').find((fact) => fact.value.captures['code'] !== undefined);
    if (enroot !== undefined) return byEnroot(enroot);
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
