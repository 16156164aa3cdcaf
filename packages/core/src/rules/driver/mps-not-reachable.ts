import type { Rule } from '../../model/rule.ts';
import { defineRule } from '../../model/rule.ts';
import { byPrint, missing, own, said, seen } from '../container-runtime/_container.ts';

export const mpsNotReachable: Rule = defineRule({
  id: 'driver/mps-not-reachable',
  summary: 'The program is meant to run under MPS and cannot reach its daemon or server',
  needs: [],
  anyOf: [
    'said.cuda-mps-connection-failed',
    'said.cuda-mps-other',
    'said.mps-daemon-absent',
    'said.mps-server-failed',
    'said.k8s-plugin-mps',
    'said.mps-server-release',
  ],
  uses: ['env', 'said.mps-client-user', 'file.absent', 'container.inside'],
  citations: ['mps-guide', 'cuda-driver-types'],
  explains: [
    'said.cuda-*',
    'said.mps-*',
    'said.k8s-plugin-mps',
    'said.pt-*',
    'said.ggml-*',
    'application/application-exception',
    'driver/exclusive-compute-mode',
    'application/fork-after-cuda-init',
  ],
  check(_facts, context) {
    const connect = [...said(context, 'cuda-mps-connection-failed'), ...said(context, 'cuda-mps-other')].find((fact) =>
      fact.seen.some((each) =>
        /\b80[567]\b|CONNECTION_FAILED|RPC_FAILURE|SERVER_NOT_READY|failed to connect|MPS server is not ready|control daemon or the MPS server|MpsConnectionFailed|MpsRpcFailure|MpsServerNotReady/i.test(
          each.text,
        ),
      ),
    );
    const absent = said(context, 'mps-daemon-absent')[0];
    const failed = said(context, 'mps-server-failed')[0];
    const plugin = said(context, 'k8s-plugin-mps').find((fact) =>
      fact.seen.some((each) => /MPS daemon/.test(each.text)),
    );
    const folders = own(context, 'env').filter(
      (fact) => fact.value.name === 'CUDA_MPS_PIPE_DIRECTORY' && fact.value.value !== '',
    );
    const folder = folders[0];
    const other = folders.find((fact) => fact.value.value !== folder?.value.value);
    const gone = own(context, 'file.absent').find((fact) => /nvidia-mps|\/mps\b/.test(fact.value));
    const users = said(context, 'mps-client-user');
    const server = users.findLast((fact) => fact.value.captures['server'] !== undefined);
    const stranger = users.find(
      (fact) =>
        fact.value.captures['client'] !== undefined &&
        server !== undefined &&
        fact.order > server.order &&
        fact.value.captures['client'] !== server.value.captures['server'],
    );
    const symptom = connect ?? plugin;
    if (symptom === undefined && absent === undefined && stranger === undefined) {
      const running = said(context, 'mps-server-release')[0];
      if (failed === undefined && running !== undefined)
        return { kind: 'cleared', because: 'the MPS server runs', seen: seen(running) };
      return failed === undefined
        ? { kind: 'silent' }
        : {
            kind: 'unknown',
            missing: [
              missing('said.cuda-mps-connection-failed', 'tail -n 50 /var/log/nvidia-mps/server.log; dmesg | grep Xid'),
            ],
          };
    }
    const reason = other ?? gone ?? absent ?? stranger ?? failed;
    const remedies = [
      {
        actor: 'node-admin',
        do: 'start the control daemon, as the user of the clients or as root, and see that its server comes up',
        command: 'nvidia-cuda-mps-control -d; echo get_server_list | nvidia-cuda-mps-control',
      },
      {
        actor: 'node-admin',
        do: 'give daemon and clients the same pipe directory; a container needs it mounted, and the IPC name space of the daemon',
        command:
          'docker run --ipc=host -v /tmp/nvidia-mps:/tmp/nvidia-mps -e CUDA_MPS_PIPE_DIRECTORY=/tmp/nvidia-mps …',
      },
      {
        actor: 'developer',
        do: 'or leave MPS: unset CUDA_MPS_PIPE_DIRECTORY for this program, where the GPU is not in exclusive mode',
      },
    ] as const;
    const why =
      other !== undefined
        ? `its pipe directory is ${folder!.value.value} here and ${other.value.value} there`
        : gone !== undefined
          ? `${gone.value} is not there`
          : absent !== undefined
            ? 'no control daemon answers'
            : stranger !== undefined
              ? `the server belongs to user ${server!.value.captures['server']!}, the client is user ${stranger.value.captures['client']!}`
              : failed !== undefined
                ? 'its server does not come up'
                : '';
    return {
      kind: 'fault',
      certainty: symptom === undefined ? 'possible' : reason !== undefined ? byPrint(symptom, reason) : 'likely',
      message: `the program cannot reach MPS${why === '' ? '' : `: ${why}`}`,
      seen: seen(
        symptom,
        folder !== undefined && (other !== undefined || gone !== undefined) ? folder : undefined,
        reason,
      ),
      remedies,
      missing:
        reason === undefined
          ? [
              missing(
                'said.mps-daemon-absent',
                'ps -eo pid,user,lstart,cmd | grep mps; env | grep CUDA_MPS; ls -ld /tmp/nvidia-mps',
              ),
            ]
          : [],
      weight: symptom === undefined ? 0 : 3,
    };
  },
});
